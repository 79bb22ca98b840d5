/** The program as a process: started, spoken to, waited for. */
import { type ChildProcess, spawn } from 'node:child_process';

const running = new Set<ChildProcess>();

export interface Run {
  readonly child: ChildProcess;
  /** All that it has printed so far. */
  readonly out: { stdout: string; stderr: string };
  /** Its exit code, or the signal that killed it, and all that it printed. */
  readonly end: Promise<{ code: number | NodeJS.Signals; stdout: string; stderr: string }>;
  /** Resolves when what it has printed matches. */
  says(pattern: RegExp): Promise<RegExpMatchArray>;
}

export function latchkey(args: readonly string[], env: NodeJS.ProcessEnv = {}, stdin = ''): Run {
  const child = spawn(process.execPath, ['bin/latchkey.js', ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  running.add(child);
  const out = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      out[stream] += text;
      for (const watch of watchers) watch();
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const end = new Promise<Awaited<Run['end']>>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code: code ?? signal!, ...out });
      for (const watch of watchers) watch();
    });
  });
  const says = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const watch = () => {
        const found = (out.stdout + out.stderr).match(pattern);
        if (found === null && child.exitCode === null && child.signalCode === null) return;
        watchers.delete(watch);
        if (found === null)
          reject(new Error(`it ended without ${pattern}:\n${JSON.stringify(out)}`));
        else resolve(found);
      };
      watchers.add(watch);
      watch();
    });
  return { child, out, end, says };
}

/** For afterEach: whatever a failed test has left. */
export function killTheRest(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Resolves when it is so; a test that waits for ever ends by its time limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}
