/** On a narrow screen, what stands beside the picture elsewhere: folded to one line, and drawn up by a tap. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

const narrow = matchMedia('(max-width: 700px)');
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

const isOpen = signal(false);

export function Sheet({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="sheet" aria-label="Inspector and structure">
      <button
        type="button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <span>{title}</span>
        <span aria-hidden="true">{isOpen.value ? '▼' : '▲'}</span>
      </button>
      {isOpen.value && <div class="sheet-body">{children}</div>}
    </section>
  );
}
