import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable, quoted } from '../../src/cli/printable.ts';

describe('text of other processes', () => {
  test('keeps letters of all scripts, and shows what a terminal would obey', () => {
    expect(printable('Größe 大 😀 "x"')).toBe('Größe 大 😀 "x"');
    expect(printable('\u001b[31m\r\n\u0007\u009b\u202e\u2028')).toBe(
      '\\u001b[31m\\u000d\\u000a\\u0007\\u009b\\u202e\\u2028',
    );
    expect(printable('\ud800x')).toBe('\\ud800x');
    expect(quoted('a"b\u009b')).toBe('"a\\"b\\u009b"');
  });
  test('never has a control character afterwards', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
