/** The processes of a command: itself, its process group, and all that it has started, setsid or not. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The environment variable by which the processes of a run are found. Children inherit it, whatever process group
 * or session they are in. Only a process that clears its environment, or that runs as another user, escapes.
 */
export const RUN_VARIABLE = 'LATCHKEY_RUN';

/** A token for a new run. The token of an outer run stays in the variable, so that it finds this run too. */
export function newRun(): { readonly token: string; readonly variable: string } {
  const token = randomBytes(16).toString('hex');
  const outer = process.env[RUN_VARIABLE];
  return { token, variable: outer === undefined ? token : `${outer} ${token}` };
}

/** All live processes of a run, with the process group of the command or, without one, its descendants. */
export function liveProcesses(token: string, pid: number, isGroup: boolean): readonly number[] {
  const table = processTable();
  const found = new Set<number>();
  for (const each of table) {
    const isOurs = each.pid === pid || (isGroup && each.group === pid);
    if (isOurs || hasToken(each.pid, token)) found.add(each.pid);
  }
  for (const each of descendants(table, pid)) found.add(each);
  return [...found];
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** All processes of the machine that are not dead. */
function processTable(): readonly ProcessEntry[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(entryOf);
  } catch {
    return tableOfPs();
  }
}

/** As Linux shows it: "pid (command) state parent group …", where the command may have parentheses and spaces. */
function entryOf(pid: string): readonly ProcessEntry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  } catch {
    return []; // It has ended since.
  }
}

/** Elsewhere. To start `ps` can take long on a busy machine. */
function tableOfPs(): readonly ProcessEntry[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z'] = line.trim().split(/\s+/);
    if (state.startsWith('Z') || state.startsWith('X')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}

/** Linux shows the environment of the processes of the same user. */
function hasToken(pid: number, token: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(token);
  } catch {
    return false;
  }
}

function descendants(table: readonly ProcessEntry[], pid: number): readonly number[] {
  const found = [pid];
  for (const parent of found) {
    for (const each of table) if (each.parent === parent) found.push(each.pid);
  }
  return found.slice(1);
}
