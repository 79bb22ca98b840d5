/** Reads a file of settings. An error gives the line, the rule and the way out. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { didYouMean, UsageError } from '../core/errors.ts';
import { checkRule, type Fields, type Setting, type Settings, settings } from './settings.ts';

/** Far more than a group of any size needs. */
const MAX_LENGTH = 1_048_576;
/** An alias may stand for aliases: ten lines of them can stand for a billion nodes. */
const MAX_NODES = 100_000;

/** YAML, and so JSON too. Errors name the file by `path`. */
export function parseSettings(text: string, path: string): Settings {
  if (text.length > MAX_LENGTH) {
    throw new UsageError(
      `${path}: a file of settings has at most ${MAX_LENGTH} characters, got ${text.length}`,
    );
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const [broken] = document.errors;
  if (broken !== undefined) {
    const why = broken.message.replaceAll(/\s*\n\s*/g, ' ');
    throw new UsageError(`${place(broken.pos[0])}: this is not YAML: ${why}`);
  }
  const resolve = (node: unknown): Node | undefined =>
    isAlias(node) ? node.resolve(document) : (node as Node | undefined);
  const reader = new Reader(place, resolve);
  return reader.read(settings, document.contents ?? undefined, '') as Settings;
}

class Reader {
  readonly #place: (offset: number) => string;
  readonly #resolve: (node: unknown) => Node | undefined;
  #nodes = 0;

  constructor(place: (offset: number) => string, resolve: (node: unknown) => Node | undefined) {
    this.#place = place;
    this.#resolve = resolve;
  }

  read(setting: Setting, given: unknown, name: string): unknown {
    const node = this.#resolve(given);
    if (++this.#nodes > MAX_NODES) {
      this.#refuse(given, `the file has at most ${MAX_NODES} values, those of aliases counted`);
    }
    switch (setting.kind) {
      case 'text':
        return this.#text(setting, node, name);
      case 'whole': {
        const value = isScalar(node) ? node.value : undefined;
        const { min, max } = setting;
        if (Number.isSafeInteger(value) && min <= (value as number) && (value as number) <= max) {
          return value;
        }
        return this.#refuse(node, `${name} takes a whole number from ${min} to ${max}`);
      }
      case 'flag': {
        const value = isScalar(node) ? node.value : undefined;
        return typeof value === 'boolean'
          ? value
          : this.#refuse(node, `${name} takes true or false`);
      }
      case 'choice': {
        const value = isScalar(node) ? node.value : undefined;
        if (setting.values.includes(value as string)) return value;
        const suggestion = didYouMean(String(value), setting.values);
        return this.#refuse(node, `${name} takes ${setting.values.join(', ')}`, suggestion);
      }
      case 'list': {
        if (!isSeq(node)) return this.#refuse(node, `${name} takes a list`);
        return node.items.map((item, i) => this.read(setting.of, item, `${name}[${i}]`));
      }
      case 'table': {
        if (!isMap(node))
          return this.#refuse(node, `${name} takes ${setting.key}: ${setting.of.form}`);
        const entries = node.items.map(({ key, value }) => {
          const id = this.#text(
            { ...setting.of, check: setting.checkKey },
            this.#resolve(key),
            name,
          );
          return [id, this.read(setting.of, value, `${name}.${id}`)] as const;
        });
        return Object.fromEntries(entries);
      }
      case 'fields':
        return this.#fields(setting, node, name);
    }
  }

  #text(
    setting: { readonly form: string; readonly check?: (value: string) => unknown },
    node: Node | undefined,
    name: string,
  ): string {
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'string') {
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      const quotes = isPlain ? `; write it in quotes: "${value}"` : '';
      return this.#refuse(node, `${name} takes ${setting.form}`, quotes);
    }
    this.#located(node, name, () => setting.check?.(value));
    return value;
  }

  #fields(setting: Fields, node: Node | undefined, name: string): object {
    const prefix = name === '' ? '' : `${name}.`;
    const known = Object.keys(setting.fields);
    if (!isMap(node)) {
      return this.#refuse(node, `${name || 'the file'} takes settings: ${known.join(', ')}`);
    }
    const values: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const word = isScalar(key) ? String(key.value) : '';
      if (!Object.hasOwn(setting.fields, word)) {
        const what = `there is no setting "${prefix}${word}"${didYouMean(word, known)}`;
        throw new UsageError(`${this.#at(key)}: ${what}: there are ${known.join(', ')}`);
      }
      values[word] = this.read(setting.fields[word]!, value ?? key, `${prefix}${word}`);
    }
    const missing = setting.required.find((field) => !Object.hasOwn(values, field));
    // A setting that the file leaves out may come from a flag.
    if (missing !== undefined && name !== '') {
      throw new UsageError(`${this.#at(node)}: ${name} has no ${missing}: add ${missing}: …`);
    }
    if (Object.hasOwn(setting.fields, 'algorithm')) {
      this.#located(node, name, () => checkRule(values));
    }
    return values;
  }

  #located(node: unknown, name: string, check: () => unknown): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(`${this.#at(node)}: ${name}: ${error.message}`, { cause: error });
    }
  }

  #refuse(node: unknown, rule: string, hint = ''): never {
    const value = isScalar(node) ? (node.value ?? undefined) : undefined;
    const plain = value === undefined ? 'nothing' : JSON.stringify(value);
    const got = isMap(node) ? 'settings' : isSeq(node) ? 'a list' : plain;
    throw new UsageError(`${this.#at(node)}: ${rule}, got ${got}${hint}`);
  }

  #at(node: unknown): string {
    return this.#place((node as Node | undefined)?.range?.[0] ?? 0);
  }
}
