/** The lock API on backends of one process: once where answers come at once, once where they come later. */
import { locksSuite } from '../support/locks-suite.ts';
import { atADistance, OneProcess } from '../support/one-process.ts';

const clientIds = (count: number) => Array.from({ length: count }, (_, i) => `client ${i}`);

locksSuite('at once', (count) => {
  const world = new OneProcess();
  return { backends: clientIds(count).map((id) => world.backend(id)), stop: () => {} };
});

locksSuite('at a distance', (count) => {
  const world = new OneProcess();
  const backends = clientIds(count).map((id) => atADistance(world.backend(id)));
  return { backends, stop: () => {} };
});
