/** Errors of a session with a daemon, and errors of the group as they cross the connection. */
import { OverloadedError } from '../group/errors.ts';
import type { WireError } from './protocol.ts';

/** No daemon answers at the socket or address. */
export class NoDaemonError extends Error {
  override readonly name = 'NoDaemonError';
}

/** The session with the daemon has ended, and every lock that was held through it is lost. */
export class DaemonLostError extends Error {
  override readonly name = 'DaemonLostError';
}

/** The access rule for the name in the client's certificate does not allow this. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}

export const toWireError = ({ name, message }: Error): WireError => ({ name, message });

/** The error that the daemon reported. The lock API tells the other kinds of errors by their names. */
export function fromWireError({ name, message }: WireError): Error {
  if (name === 'OverloadedError') return new OverloadedError(message);
  if (name === 'AccessError') return new AccessError(message);
  const error = new Error(message);
  error.name = name;
  return error;
}
