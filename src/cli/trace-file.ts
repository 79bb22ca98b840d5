/** Traces on disk: files that are whole or not there, and what they are of. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { find, findPrinted } from '../algorithms/catalogue.ts';
import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { convert, type Format } from '../core/formats/formats.ts';
import { parseTrace, type Trace } from '../core/formats/native.ts';
import { Machine } from '../core/machine.ts';
import type { TraceHeader, TraceStep } from '../core/trace.ts';
import { makeWorld } from '../topologies/world.ts';
import { openNew } from './private-file.ts';
import { textOf } from './values.ts';

// Large enough to spare system calls, small enough to stay out of memory's way.
const CHUNK = 1 << 16;

/**
 * A file that is written under another name and gets its own when it is whole: a program that finds a file
 * there has all of it, however the writer ended. A device or a pipe is written to as it is.
 */
export class WholeFile {
  readonly #path: string;
  readonly #flag: string;
  readonly #partial: string | undefined;
  readonly #descriptor: number;
  #buffer = '';

  /** `flag` is what the user named the file by. */
  constructor(path: string, flag: string) {
    this.#path = path;
    this.#flag = flag;
    this.#partial = isSpecial(path) ? undefined : `${path}.partial`;
    this.#descriptor = this.#attempt(() =>
      this.#partial === undefined ? openSync(path, 'w') : openNew(this.#partial, 0o666),
    );
  }

  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= CHUNK) this.#flush();
  }

  /** All is written: the file takes its name. */
  finish(): void {
    this.#flush();
    this.#attempt(() => {
      if (this.#partial !== undefined) fsyncSync(this.#descriptor);
      closeSync(this.#descriptor);
      if (this.#partial !== undefined) renameSync(this.#partial, this.#path);
    });
  }

  /** It will not be whole: what there is of it goes. */
  abandon(): void {
    if (this.#partial !== undefined) rmSync(this.#partial, { force: true });
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    // A disk that is nearly full takes a part and refuses the rest at the next call.
    for (let at = 0; at < bytes.length; ) {
      at += this.#attempt(() => writeSync(this.#descriptor, bytes, at));
    }
  }

  #attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      this.abandon();
      const { message } = error as Error;
      throw new UsageError(`${this.#flag} cannot write "${this.#path}": ${message}`, {
        cause: error,
      });
    }
  }
}

/** Neither a file nor nothing: renaming something over /dev/full would be the end of /dev/full. */
const isSpecial = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === false;

/** A trace that is being written: step by step in our own format, at the end in any other. */
export class TraceFile {
  readonly #file: WholeFile;
  readonly #other: { readonly format: Format; readonly trace: Trace } | undefined;
  readonly #steps: TraceStep[] = [];

  /** `initial` are the states before the first step, for the formats that show them. */
  constructor(path: string, header: TraceHeader, format?: Format, initial?: readonly unknown[]) {
    this.#file = new WholeFile(path, '--trace');
    if (format === undefined || format.name === 'native') this.#line(header);
    else
      this.#other = { format, trace: { header, steps: this.#steps, ...(initial && { initial }) } };
  }

  write(step: TraceStep): void {
    if (this.#other === undefined) this.#line(step);
    else this.#steps.push(step);
  }

  finish(): void {
    if (this.#other !== undefined) {
      this.#file.write(convert(this.#other.trace, this.#other.format));
    }
    this.#file.finish();
  }

  abandon(): void {
    this.#file.abandon();
  }

  #line(value: unknown): void {
    this.#file.write(`${JSON.stringify(value)}\n`);
  }
}

/** The trace in a file that the user named; every complaint about it names the file. */
export function readTrace(command: string, path: string): Trace {
  const text = textOf(command, path);
  try {
    return parseTrace(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`"${path}", ${error.message}`, { cause: error });
  }
}

/**
 * The algorithm and the world of a trace, by its header. A trace may come from elsewhere: it opens a file of this
 * machine only if the user allows it.
 */
export function worldOf(
  header: TraceHeader,
  mayOpenFiles: boolean,
): { algorithm: AnyAlgorithm; world: AnyWorld } {
  const { asPrinted, nodes, k, topology, options, seed } = header;
  const algorithm =
    asPrinted === undefined
      ? find(header.algorithm)
      : findPrinted(header.algorithm, asPrinted).algorithm;
  const file = /^file:(.+)$/s.exec(topology)?.[1];
  if (file !== undefined && !mayOpenFiles) {
    throw new UsageError(
      `the trace names a topology in the file "${file}": give --open-files to open it`,
    );
  }
  const world = makeWorld(algorithm, {
    nodes,
    k,
    topology,
    options,
    seed,
    ...(file !== undefined && { file: textOf('the trace names a topology, and', file) }),
  });
  return { algorithm, world };
}

/** The states of all sites before anything happens. */
export function initialStates(algorithm: AnyAlgorithm, world: AnyWorld): unknown[] {
  const machine = new Machine(algorithm, world, () => 0);
  return Array.from({ length: world.n }, (_, site) => machine.init(site));
}
