import { render } from 'preact';
import { App } from './app.tsx';
import { begin } from './model/state.ts';
import './style.css';

render(<App />, document.getElementById('page')!);
void begin();
