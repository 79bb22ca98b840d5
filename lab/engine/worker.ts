/** The engine of the page: the modules of the package, in a thread of their own. */
import { beginExercise } from './exercises.ts';
import { live } from './live.ts';
import { checkOwn, simulateOwn } from './own.ts';
import type { Answer, Ask, Compared, Loaded } from './protocol.ts';
import { buffersOf } from './rows.ts';
import { compare, load, moment, sweep } from './runs.ts';
import { checkOne, listCatalogue, trial } from './trials.ts';

const say = (answer: Answer, transfer: Transferable[] = []) =>
  (self as unknown as Worker).postMessage(answer, transfer);

self.onmessage = async ({ data }: MessageEvent<Ask>) => {
  const { number } = data;
  try {
    const result = await perform(data);
    say({ number, result }, buffers(result));
  } catch (error) {
    say({ number, error: (error as Error).message });
  }
};

function perform(ask: Ask): unknown {
  switch (ask.method) {
    case 'catalogue':
      return listCatalogue();
    case 'run':
      return load(ask.given);
    case 'moment':
      return moment(ask.given);
    case 'compare':
      return compare(ask.given);
    case 'sweep':
      return sweep(ask.given);
    case 'check':
      return checkOne(ask.given, (progress) => say({ number: ask.number, progress }));
    case 'own':
      return checkOwn(ask.given, (progress) => say({ number: ask.number, progress }));
    case 'simulateOwn':
      return simulateOwn(ask.given);
    case 'exercise':
      return beginExercise(ask.given);
    case 'trial':
      return trial(ask.given);
    case 'live':
      return live(ask.given);
  }
}

/** Columns are handed over, not copied. */
function buffers(result: unknown): Transferable[] {
  if (result === null) return [];
  if (Array.isArray(result)) {
    return result.flatMap(({ run }: Partial<Compared>) => (run ? buffersOf(run.rows) : []));
  }
  const { rows, run } = result as Partial<Loaded> & { readonly run?: Loaded | null };
  if (rows !== undefined) return buffersOf(rows);
  return run === undefined || run === null ? [] : buffersOf(run.rows);
}
