/** Errors of a session with a daemon, and errors of the group as they cross the connection. */
import type { WireError } from './protocol.ts';

/** No daemon answers at the socket or address. */
export class NoDaemonError extends Error {
  override readonly name = 'NoDaemonError';
}

/** The session with the daemon has ended, and every lock that was held through it is lost. */
export class DaemonLostError extends Error {
  override readonly name = 'DaemonLostError';
}

export const toWireError = ({ name, message }: Error): WireError => ({ name, message });

/** The error that the daemon reported. The lock API tells kinds of errors by their names. */
export function fromWireError({ name, message }: WireError): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
