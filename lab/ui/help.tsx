/** The list of keys. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
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
  const button = useRef<HTMLButtonElement>(null);
  const isOpen = isHelpOpen.value;
  useLayoutEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement as HTMLElement | null;
    button.current?.focus();
    return () => before?.focus();
  }, [isOpen]);
  if (!isOpen) return null;
  const close = () => {
    isHelpOpen.value = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    // Its button is all that there is to reach, and the run behind it does not move.
    if (event.key === 'Tab') event.preventDefault();
    if (event.key !== '?') event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click beside the list closes it, as its button does.
    <div
      class="veil centred"
      role="presentation"
      onClick={(event) => event.target === event.currentTarget && close()}
      onKeyDown={onKeyDown}
    >
      <dialog open class="help" aria-label="Keys" aria-modal="true">
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
          These keys move through the run in <em>Watch</em>. Drag to pan; turn the wheel, or spread
          two fingers, to zoom. A right click, or a long press, opens the menu.
        </p>
        <p>
          In other views, ← and → step through what a search has found, or move the diagram that has
          the focus; + − 0 zoom that diagram. In <em>Compare</em>, so does the wheel.
        </p>
        <button ref={button} type="button" onClick={close}>
          Close
        </button>
      </dialog>
    </div>
  );
}
