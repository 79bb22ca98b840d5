/**
 * Keeps the CPUs awake: on each runs a loop that gives way to everything else. A virtual CPU that has nothing to
 * do halts, and to wake it takes 35 to 40 µs, which is as much as a whole hand-over: so a quiet machine
 * measures that most of all. Machines that are not virtual, or not idle, are like this one kept awake.
 */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

// It ends by itself when we do.
const LOOP = `while kill -0 ${process.pid}; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done`;

/** Whether it can, or why not. */
export const canKeepAwake = () =>
  spawnSync('chrt', ['--idle', '0', 'true']).status === 0 || 'needs chrt, of util-linux';

/** Returns how to stop it. */
export function keepAwake() {
  const loops = Array.from({ length: availableParallelism() }, (_, cpu) =>
    spawn('taskset', ['-c', String(cpu), 'chrt', '--idle', '0', 'sh', '-c', LOOP], {
      stdio: 'ignore',
    }),
  );
  return () => {
    for (const loop of loops) loop.kill();
  };
}
