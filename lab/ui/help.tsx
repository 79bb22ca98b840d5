/** The list of keys. */
import { signal } from '@preact/signals';
import { KEYS } from './keys.ts';

export const isHelpOpen = signal(false);

const NAMES: { readonly [key: string]: string } = {
  ' ': 'space',
  ArrowRight: '→',
  ArrowLeft: '←',
  'Shift+ArrowRight': 'shift →',
  'Shift+ArrowLeft': 'shift ←',
};

export function Help() {
  if (!isHelpOpen.value) return null;
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click beside the list closes it, as its button does.
    <div
      class="veil centred"
      role="presentation"
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <dialog open class="help" aria-label="Keys">
        <h2>Keys</h2>
        <dl>
          {KEYS.map(({ keys, says }) => (
            <div key={says}>
              <dt>{keys.map((key) => NAMES[key] ?? key).join(' ')}</dt>
              <dd>{says}</dd>
            </div>
          ))}
        </dl>
        <p>
          Drag to pan, and turn the wheel to zoom. A right click, or a long press, opens the menu.
        </p>
        <button type="button" onClick={close}>
          Close
        </button>
      </dialog>
    </div>
  );
}
