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

/** How the colour-blind see red, green and blue, each in full: Machado, Oliveira and Fernandes, 2009. */
const SIGHTS: { readonly [sight: string]: readonly (readonly number[])[] } = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Where the colour is in CIELAB, in which equal distances look equal, for that sight. */
function seenAs(colour: string, sight: readonly (readonly number[])[]): number[] {
  const light = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const [red, green, blue] = sight.map((row) =>
    Math.max(
      0,
      row.reduce((sum, part, i) => sum + part * light[i]!, 0),
    ),
  ) as [number, number, number];
  const [x, y, z] = [
    (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
    0.2126 * red + 0.7152 * green + 0.0722 * blue,
    (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
  ].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116)) as [number, number, number];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
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

  test.each(Object.keys(SIGHTS))(
    'messages of all types and the token are told apart: %s',
    (sight) => {
      const colours = [...theme.types, theme.token];
      const places = colours.map((colour) => seenAs(colour, SIGHTS[sight]!));
      places.forEach((place, i) => {
        places.slice(0, i).forEach((other, j) => {
          const apart = Math.hypot(...place.map((part, axis) => part - other[axis]!));
          expect(apart, `${colours[i]} and ${colours[j]}`).toBeGreaterThan(15);
        });
      });
    },
  );
});
