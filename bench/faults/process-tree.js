import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process and all that it started.
 *
 * @param {number} pid
 * @returns {number[]}
 */
export function treeOf(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]));
    } catch {
      // It has ended since.
    }
  }
  const tree = [pid];
  for (const one of tree) {
    for (const [child, parent] of parents) if (parent === one) tree.push(child);
  }
  return tree;
}
