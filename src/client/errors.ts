/** Errors that reach a client: the daemon's own, and those of the group as they travel. */
import type { WireError } from './protocol.ts';

/** No daemon answers where one was looked for. */
export class NoDaemonError extends Error {
  override readonly name = 'NoDaemonError';
}

/** The daemon is gone, and with it every lock that was held through it. */
export class DaemonLostError extends Error {
  override readonly name = 'DaemonLostError';
}

export const toWireError = ({ name, message }: Error): WireError => ({ name, message });

/** The error that the daemon had. Its name tells the kind: that is what the lock API goes by. */
export function fromWireError({ name, message }: WireError): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
