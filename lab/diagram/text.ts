/** The fonts of the diagram, and how wide words are. */

export const FONT = '12px system-ui, -apple-system, "Segoe UI", sans-serif';
export const BOLD = `600 ${FONT}`;
export const SMALL = BOLD.replace('12px', '9.5px');

const widths = new Map<string, number>();
let measure: CanvasRenderingContext2D | undefined;

/** The width of a word in pixels, as the browser draws it. */
export function widthOf(word: string): number {
  let width = widths.get(word);
  if (width === undefined) {
    measure ??= document.createElement('canvas').getContext('2d')!;
    measure.font = FONT;
    width = Math.ceil(measure.measureText(word).width);
    widths.set(word, width);
  }
  return width;
}
