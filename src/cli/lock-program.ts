/**
 * The program that a command names, or why it cannot run: in words, with the exit code of a shell. What can be seen
 * in the files is said before the lock is requested; the rest, when the system refuses to start the program.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { quoted } from './printable.ts';

const NOT_FOUND = 127;
export const NOT_EXECUTABLE = 126;
/** Linux reads as much of a script to find its interpreter. */
const FIRST_LINE_BYTES = 256;

export interface Unfit {
  /** The exit code of a shell for this. */
  readonly code: number;
  readonly why: string;
}

const NOT_THERE: Unfit = { code: NOT_FOUND, why: 'no such command' };

/** Why a command cannot be run; undefined if nothing is known against it. */
export function unfit(command: string): Unfit | undefined {
  const flaws = pathsOf(command).map(flawOf);
  if (flaws.includes(undefined)) return undefined;
  return flaws.find((flaw) => flaw !== NOT_THERE) ?? NOT_THERE;
}

/** The file that a command names. What cannot be run is passed over in PATH, as shells do. */
export const pathOf = (command: string): string | undefined =>
  pathsOf(command).find((path) => flawOf(path) === undefined);

function pathsOf(command: string): readonly string[] {
  if (command.includes('/')) return [command];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => `${folder || '.'}/${command}`).filter(isCandidate);
}

function flawOf(path: string): Unfit | undefined {
  const flaw = flawOfFile(path);
  if (flaw !== undefined) return flaw;
  const interpreter = interpreterOf(path);
  if (interpreter === undefined) return undefined;
  const its = flawOfFile(interpreter);
  if (its === undefined) return undefined;
  if (interpreter.endsWith('\r')) {
    const why = 'its first line ends with a carriage return: save it with the line ends of Unix';
    return { code: its.code, why };
  }
  const what = its === NOT_THERE ? 'there is no such file' : its.why;
  return { code: its.code, why: `its first line asks for ${quoted(interpreter)}: ${what}` };
}

function flawOfFile(path: string): Unfit | undefined {
  try {
    if (!statSync(path).isFile()) return { code: NOT_EXECUTABLE, why: 'it is not a file' };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ENOTDIR'].includes(code) ? NOT_THERE : refusalOf(error);
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return { code: NOT_EXECUTABLE, why: 'it is not executable' };
  }
}

/** In a folder of PATH that this user may not look into, nothing is known to be there; and a folder is no command. */
function isCandidate(path: string): boolean {
  try {
    lstatSync(path);
    return !isFolder(path);
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // A link that leads nowhere.
  }
}

/** What the first line of a script asks for; undefined if the file is no script, or cannot be read. */
function interpreterOf(path: string): string | undefined {
  const bytes = Buffer.alloc(FIRST_LINE_BYTES);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, bytes, 0, FIRST_LINE_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
  // Zeros fill what a short file leaves.
  return /^#![ \t]*([^ \t\n\0]+)[ \t\n\0]/.exec(bytes.toString())?.[1];
}

/** The system does not start a program that a run under a lock needs. The message says why. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** The exit code of a shell for this. */
  readonly code: number;

  constructor({ code, why }: Unfit) {
    super(why);
    this.code = code;
  }
}

/** Starts a program; rejects with a `StartError` if the system refuses. `what` names it in the message. */
export function start(
  what: string,
  file: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  return new Promise<ChildProcess>((resolve, reject) => {
    // Node throws some refusals, as ELOOP, and emits others, as ENOENT.
    const child = spawn(file, args, options);
    child.on('error', reject);
    child.on('spawn', () => resolve(child));
  }).catch((error: unknown) => {
    throw new StartError({ code: NOT_EXECUTABLE, why: `${what}: ${refusalOf(error).why}` });
  });
}

/** What the system said, in words, and the way out. Throws what the system has not said. */
export function refusalOf(error: unknown): Unfit {
  const { errno, code = '' } = error as NodeJS.ErrnoException;
  const [, words] = getSystemErrorMap().get(errno ?? 0) ?? [];
  if (words === undefined) throw error;
  const wayOut = WAYS_OUT[code];
  const why = wayOut === undefined ? words : `${words}: ${wayOut}`;
  return { code: code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE, why };
}

const OPEN_FILES = 'raise ulimit -n';
const WAYS_OUT: { readonly [code: string]: string } = {
  E2BIG: 'give it fewer arguments at once, as xargs does',
  EAGAIN: 'end some processes of this user, or raise ulimit -u',
  EMFILE: OPEN_FILES,
  ENFILE: OPEN_FILES,
};
