/** Addresses of stores in messages: a password must not get into a log. */
import { UsageError } from '../core/errors.ts';

/** Passwords may have an `@`: the address begins after the last `@`. */
export const withoutPassword = (url: string): string =>
  url.replace(/^([a-z]*:\/\/)?.*@/is, (_, scheme = '') => `${scheme}…@`);

export const wrongAddress = (example: string, url: string): UsageError =>
  new UsageError(`expected an address such as ${example}, got "${withoutPassword(`${url}`)}"`);
