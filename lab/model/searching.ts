/** A search in a worker of its own, and what came of it. It outlives the view that shows it. */
import { batch, signal } from '@preact/signals';
import { Engine } from '../engine/client.ts';
import type { Checked, CheckSpec } from '../engine/protocol.ts';

export class Searching {
  /** Its own worker: a long search does not keep the rest of the page waiting, and can be stopped. */
  readonly engine = new Engine();
  readonly asked = signal<CheckSpec | null>(null);
  readonly result = signal<Checked | null>(null);
  /** How far it is; empty while nothing is searched. */
  readonly progress = signal('');
  readonly problem = signal('');

  async run(spec: CheckSpec): Promise<void> {
    if (this.progress.value !== '') this.engine.stop('stopped for another search');
    batch(() => {
      this.asked.value = spec;
      this.result.value = null;
      this.problem.value = '';
      this.progress.value = 'searching …';
    });
    const isLatest = () => this.asked.value === spec;
    try {
      const found = await this.engine.ask('check', spec, (text) => {
        if (isLatest()) this.progress.value = text;
      });
      if (isLatest()) this.result.value = found;
    } catch (error) {
      if (isLatest()) this.problem.value = (error as Error).message;
    }
    if (isLatest()) this.progress.value = '';
  }

  stop(): void {
    this.engine.stop('The search was stopped before it had seen every schedule.');
  }
}
