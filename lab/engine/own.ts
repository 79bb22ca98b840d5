/** What a reader wrote: read as a module, completed, and run like any algorithm of the catalogue. */
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { FIRST } from '../model/spec.ts';
import type { Checked, Loaded, OwnSpec } from './protocol.ts';
import { loadAlgorithm } from './runs.ts';
import { checkAlgorithm } from './trials.ts';

const MOST_STATES = 2_000_000;

export async function checkOwn(
  spec: OwnSpec,
  onProgress: (text: string) => void,
): Promise<Checked> {
  const algorithm = await read(spec.code);
  const search = {
    ...{ algorithm: 'yours', printed: '', links: '', topology: '', options: [] },
    ...{ crashes: 0, losses: 0, maxStates: MOST_STATES },
  };
  return explained(() =>
    checkAlgorithm(
      algorithm,
      { ...search, nodes: spec.nodes, entries: [spec.entries] },
      onProgress,
    ),
  );
}

export async function simulateOwn(spec: OwnSpec): Promise<Loaded> {
  const algorithm = await read(spec.code);
  return explained(() =>
    loadAlgorithm(algorithm, { ...FIRST, nodes: spec.nodes, rate: 0.02, entries: 30 }),
  );
}

/** The default export of the code, with everything that a short one leaves out. */
async function read(code: string): Promise<AnyAlgorithm> {
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  let own: { readonly [field: string]: unknown } | undefined;
  try {
    own = (await import(/* @vite-ignore */ url)).default;
  } catch (error) {
    throw new Error(`the code cannot be read: ${(error as Error).message}`);
  } finally {
    URL.revokeObjectURL(url);
  }
  if (typeof own !== 'object' || own === null) {
    throw new Error('the code exports no algorithm: it ends with export default { … }');
  }
  for (const part of ['messages', 'init', 'request', 'release', 'on'] as const) {
    if (own[part] === undefined) throw new Error(`the algorithm has no "${part}"`);
  }
  const handlers = own['on'] as object;
  const missing = Object.keys(own['messages'] as object).find((type) => !(type in handlers));
  if (missing !== undefined)
    throw new Error(`there is no handler on.${missing} for the message ${missing}`);
  const free = { formula: 'none', bounds: () => ({ least: 0, most: Number.MAX_VALUE }) };
  return {
    ...{ id: 'yours', title: 'Yours', year: 2026, paper: 'none', family: 'permission' },
    ...{ modes: ['exclusive'], k: false, topology: 'complete', defaultTopology: 'complete' },
    ...{ links: 'any', options: {}, claims: { messages: free }, recovers: [] },
    ...own,
  } as unknown as AnyAlgorithm;
}

/** An error in a handler is the reader's own: it is told as it is. */
function explained<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`your code threw: ${(error as Error).message}`);
  }
}
