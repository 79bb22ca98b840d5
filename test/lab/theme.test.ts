/** The colours of the diagram can be told from their ground by everybody. */
import { describe, expect, test } from 'vitest';
import { DARK, LIGHT, type Theme } from '../../lab/diagram/theme.ts';

/** The luminance of `#rrggbb`, and the contrast of two, as WCAG 2 defines them. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ['light', LIGHT],
  ['dark', DARK],
] as [string, Theme][])('%s', (_, theme) => {
  test('every mark has a contrast of at least 3 with the ground; bars of waiting and of crashed sites by their edge', () => {
    const { inside, waitsEdge, soft, token, fault, cursor, types, ground } = theme;
    for (const colour of [inside, waitsEdge, soft, token, fault, cursor, ...types]) {
      expect(contrast(colour, ground), colour).toBeGreaterThanOrEqual(3);
    }
  });

  test('every word has a contrast of at least 4.5 with what it stands on', () => {
    const { ink, soft, token, fault, cursor, types, ground, inside, onInside } = theme;
    for (const colour of [ink, soft, token, fault, cursor, ...types]) {
      expect(contrast(colour, ground), colour).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(onInside, inside)).toBeGreaterThanOrEqual(4.5);
  });
});
