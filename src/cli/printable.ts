/**
 * Makes text of other processes safe to print: a terminal obeys escape sequences, and a name with a line break could
 * forge a line of ours.
 */

// Control characters (C0, DEL, C1), separators of lines, marks that change the direction of writing, and lone
// surrogates.
const UNSAFE =
  /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/** Each unsafe character as `\u001b`: it can be seen, and does nothing. */
export const printable = (text: string): string =>
  text.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A name in quotes, with quotes and backslashes of its own escaped. */
export const quoted = (name: string): string => printable(JSON.stringify(name));
