/**
 * Keeps the CPUs awake: a loop of the lowest priority runs on each. A virtual CPU that is idle
 * halts, and waking it takes tens of microseconds. On a quiet machine that is most of a hand-over,
 * for every contestant.
 */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

// The loop ends when this process does.
const LOOP = `while kill -0 ${process.pid}; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done`;

const onCpu = (cpu, command) => ['-c', String(cpu), 'chrt', '--idle', '0', ...command];

/** Whether this machine can do it, or why not. */
export const canKeepAwake = () =>
  spawnSync('taskset', onCpu(0, ['true'])).status === 0 || 'needs taskset and chrt, of util-linux';

/** Starts the loops, and returns a function that stops them. */
export function keepAwake() {
  const loops = Array.from({ length: availableParallelism() }, (_, cpu) =>
    spawn('taskset', onCpu(cpu, ['sh', '-c', LOOP]), { stdio: 'ignore' }),
  );
  return () => {
    for (const loop of loops) loop.kill();
  };
}
