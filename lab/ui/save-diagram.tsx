/** Two buttons that offer the diagram beside them as a picture. */
import { save, saveAsPng } from './save.ts';

type Drawn = HTMLCanvasElement & { readonly asSvg: () => string };

/** What has one diagram of its own, and its legend. */
const FRAMES = '.diagrams, .counterexample, .lane';

const drawing = (button: Element): string =>
  button.closest(FRAMES)!.querySelector<Drawn>('canvas.diagram')!.asSvg();

export function SaveDiagram({ name }: { readonly name: string }) {
  return (
    <span class="save-diagram">
      <button
        type="button"
        class="small-button"
        title="Save this diagram as SVG"
        onClick={({ currentTarget }) =>
          save(`latchkey-${name}.svg`, 'image/svg+xml', drawing(currentTarget))
        }
      >
        SVG
      </button>{' '}
      <button
        type="button"
        class="small-button"
        title="Save this diagram as PNG, for slides and for print"
        onClick={({ currentTarget }) => saveAsPng(`latchkey-${name}.png`, drawing(currentTarget))}
      >
        PNG
      </button>
    </span>
  );
}
