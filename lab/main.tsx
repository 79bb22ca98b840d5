import { render } from 'preact';
import { App } from './app.tsx';
import * as live from './model/live.ts';
import * as state from './model/state.ts';
import './style.css';
import './papers.css';
import './live.css';

render(<App />, document.getElementById('page')!);
void state.begin();
// A link that is put into the address of an open page is followed.
addEventListener('hashchange', () => void state.open());
// For tests and for the console: all that the page knows, and all that it can do.
Object.assign(globalThis, { lab: { ...state, live } });
