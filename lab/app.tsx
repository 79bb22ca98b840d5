/** The page: a bar with the views, and one of them. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { commandOf } from './model/command.ts';
import { dashboard } from './model/dashboard.ts';
import { address, mistakes, VIEWS, type ViewName, view } from './model/state.ts';
import { isDark } from './ui/dark.ts';
import { Help, isHelpOpen } from './ui/help.tsx';
import { onKey } from './ui/keys.ts';
import { CheckView } from './views/check.tsx';
import { CompareView } from './views/compare.tsx';
import { LearnView } from './views/learn.tsx';
import { LiveView } from './views/live.tsx';
import { Watch } from './views/watch.tsx';
import { WriteView } from './views/write.tsx';

const NAMES: { readonly [V in ViewName]: string } = {
  learn: 'Learn',
  watch: 'Watch',
  compare: 'Compare',
  check: 'Find a bug',
  papers: 'Papers',
  write: 'Write your own',
  live: 'Live',
};

export function App() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <header class="top">
        <h1>Latchkey lab</h1>
        <nav aria-label="Views">
          {VIEWS.map((name) => (
            <button
              key={name}
              type="button"
              aria-current={view.value === name ? 'page' : undefined}
              onClick={() => {
                view.value = name;
              }}
            >
              {NAMES[name]}
              {name === 'live' && dashboard !== null && <span class="running" aria-hidden="true" />}
            </button>
          ))}
          {dashboard !== null && <a href={dashboard}>Dashboard</a>}
        </nav>
        <div class="tools">
          <Copy name="Copy link" text={() => `${location.href.split('#')[0]}${address()}`} />
          {commandOf(view.value) !== null && (
            <Copy name="Copy as command" text={() => commandOf(view.value)!} />
          )}
          <button
            type="button"
            aria-label="Dark or light"
            title="Dark or light"
            onClick={() => {
              isDark.value = !isDark.value;
            }}
          >
            ◐
          </button>
          <button
            type="button"
            aria-label="Keys"
            title="Keys (?)"
            onClick={() => {
              isHelpOpen.value = true;
            }}
          >
            ?
          </button>
        </div>
      </header>
      {mistakes.value.map((mistake) => (
        <p key={mistake} class="problem" role="alert">
          {mistake}
        </p>
      ))}
      <main>
        {view.value === 'learn' && <LearnView />}
        {view.value === 'watch' && <Watch />}
        {view.value === 'compare' && <CompareView />}
        {view.value === 'check' && <CheckView />}
        {view.value === 'papers' && <Papers />}
        {view.value === 'write' && <WriteView />}
        {view.value === 'live' && <LiveView />}
      </main>
      <Help />
    </>
  );
}

/** Loaded when it is first opened, as its data are: the first view needs neither its lists nor its charts. */
function Papers() {
  const view = useSignal<{ readonly Shown: ComponentType } | null>(null);
  useEffect(() => {
    void import('./views/papers.tsx').then(({ PapersView }) => {
      view.value = { Shown: PapersView };
    });
  }, []);
  if (view.value === null) return <p class="hint">Loading the papers …</p>;
  const { Shown } = view.value;
  return <Shown />;
}

function Copy({ name, text }: { name: string; text: () => string }) {
  return (
    <button
      type="button"
      onClick={async (event) => {
        const button = event.currentTarget;
        try {
          await navigator.clipboard.writeText(text());
        } catch {
          // Without TLS, and not from localhost, a browser has no clipboard: the reader copies.
          prompt('Copy this:', text());
          return;
        }
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = name;
        }, 1200);
      }}
    >
      {name}
    </button>
  );
}
