import { type AnyMessage, type Messages, type Shape, sizes } from '../core/message.ts';

/** Counts the messages sent, by type, and their bytes. A broadcast counts once. */
export class Traffic {
  messages = 0;
  bytes = 0;
  readonly #declared: readonly string[];
  /** The types, most frequent first: a search in this order is faster than any table. */
  readonly #types: Type[];
  readonly #size: (message: AnyMessage) => number;
  #markedMessages = 0;
  #markedBytes = 0;

  constructor(messages: Messages, n: number) {
    this.#declared = Object.keys(messages);
    this.#size = sizes(messages, n);
    this.#types = this.#declared.map((name) => ({
      name,
      count: 0,
      marked: 0,
      size: isVariable({ fields: messages[name]! }) ? VARIES : UNKNOWN,
    }));
  }

  sent(message: AnyMessage): void {
    const { type: name } = message;
    const types = this.#types;
    let i = 0;
    while (types[i]!.name !== name) i++;
    const type = types[i]!;
    type.count++;
    this.messages++;
    if (type.size <= 0) this.#measure(type, message);
    else this.bytes += type.size;
    if (i > 0 && type.count > types[i - 1]!.count) {
      types[i] = types[i - 1]!;
      types[i - 1] = type;
    }
  }

  #measure(type: Type, message: AnyMessage): void {
    const size = this.#size(message);
    if (type.size === UNKNOWN) type.size = size;
    this.bytes += size;
  }

  /** How many messages of each type were sent, in the order of declaration, without types that were never sent. */
  byType(): { [type: string]: number } {
    const counts = new Map(this.#types.map(({ name, count }) => [name, count]));
    const sent = this.#declared.map((name) => [name, counts.get(name)!] as const);
    return Object.fromEntries(sent.filter(([, count]) => count > 0));
  }

  /** Remembers the counts of this moment. */
  mark(): void {
    for (const type of this.#types) type.marked = type.count;
    this.#markedMessages = this.messages;
    this.#markedBytes = this.bytes;
  }

  /** Forgets what was sent since the mark. */
  rewind(): void {
    for (const type of this.#types) type.count = type.marked;
    this.messages = this.#markedMessages;
    this.bytes = this.#markedBytes;
  }
}

interface Type {
  readonly name: string;
  count: number;
  marked: number;
  /** The size of each message of this type, once it is known; unset if it varies. */
  size: number;
}
const UNKNOWN = 0;
const VARIES = -1;

/** True when two messages of this shape may differ in size. */
function isVariable(shape: Shape): boolean {
  if (typeof shape === 'string') return false;
  if ('fields' in shape) return Object.values(shape.fields).some(isVariable);
  return 'perSite' in shape ? isVariable(shape.perSite) : true;
}
