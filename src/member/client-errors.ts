/** Errors that reach a client: the daemon's own, and those of the group as they travel. */
import type { Trouble } from './client-wire.ts';

/** No daemon answers where one was looked for. */
export class NoDaemonError extends Error {
  override readonly name = 'NoDaemonError';
}

/** The daemon is gone, and with it every lock that was held through it. */
export class DaemonLostError extends Error {
  override readonly name = 'DaemonLostError';
}

export const asTrouble = ({ name, message }: Error): Trouble => ({ name, message });

/** The error that the daemon had. Its name tells the kind: that is what the lock API goes by. */
export function revive({ name, message }: Trouble): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
