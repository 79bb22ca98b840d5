/**
 * Keeps the CPUs awake: on each runs a loop that gives way to everything else. A virtual CPU that has nothing to
 * do halts, and to wake it takes tens of microseconds: on a quiet machine that is most of a hand-over, for
 * whoever hands over.
 */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

// It ends by itself when we do.
const LOOP = `while kill -0 ${process.pid}; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done`;

const onCpu = (cpu, command) => ['-c', String(cpu), 'chrt', '--idle', '0', ...command];

/** Whether it can, or why not. */
export const canKeepAwake = () =>
  spawnSync('taskset', onCpu(0, ['true'])).status === 0 || 'needs taskset and chrt, of util-linux';

/** Returns how to stop it. */
export function keepAwake() {
  const loops = Array.from({ length: availableParallelism() }, (_, cpu) =>
    spawn('taskset', onCpu(cpu, ['sh', '-c', LOOP]), { stdio: 'ignore' }),
  );
  return () => {
    for (const loop of loops) loop.kill();
  };
}
