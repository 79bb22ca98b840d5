/**
 * Conversations of the lock service, as text: what each member is told, what it says and what it does.
 *
 * A file has comments, commands, and after `----` what came of them up to an empty line. Commands:
 *
 *     members a b c             starts a group, up to its first view
 *     rule ALGORITHM            what serves the locks of the group; before `members`
 *     r1 at a requests x        also: `requests x shared`, `tries x`, `steals x`, `requests x of 2 permits`
 *     r1 at a requests x for 4 re-entries    if the lock is lent
 *     r1 is inside after 2 re-entries        what it answers when the lock is asked back
 *     r1 releases               or cancels, while it waits
 *     deliver                   delivers all messages, and ends all turns, until nothing moves
 *     deliver a b               delivers the next message from a to b
 *     turn a                    ends the turn of a
 *     crash b, restart b, leave b
 */
import { fixed } from '../../src/engines/fixed.ts';
import type { RequestSpec } from '../../src/group/backend.ts';
import type { Message } from '../../src/group/codec.ts';
import type { Send, Timer } from '../../src/group/effects.ts';
import type { GroupEvent } from '../../src/group/events.ts';
import { EPOCH_ZERO, fenceValue } from '../../src/group/fence.ts';
import { DEFAULT_RULES, type Rules } from '../../src/group/lock-algorithm.ts';
import { GroupNode } from '../../src/group/node.ts';
import { Request } from '../../src/group/request.ts';

interface Process {
  readonly node: GroupNode;
  readonly incarnation: number;
  readonly sessions: Map<string, number>;
  turns: Timer[];
}

type InFlight = Message | { readonly type: 'session'; readonly incarnation: number };

class Conversation {
  readonly #lines: string[] = [];
  readonly #processes = new Map<string, Process>();
  readonly #channels = new Map<string, InFlight[]>();
  readonly #requests = new Map<string, { readonly request: Request; readonly member: string }>();
  readonly #incarnations = new Map<string, number>();
  #ids: readonly string[] = [];
  #rules: Rules = DEFAULT_RULES;

  /** Runs a command, and returns what came of it. */
  run(command: string): string[] {
    this.#lines.length = 0;
    const words = command.split(/\s+/);
    const [first = '', second = '', third = ''] = words;
    if (first === 'rule') this.#rules = rulesFor(second);
    else if (first === 'members') this.#start(words.slice(1));
    else if (first === 'deliver' && second === '') this.#deliverAll();
    else if (first === 'deliver') this.#deliver(second, third);
    else if (first === 'turn') this.#endTurn(second);
    else if (first === 'crash') this.#crash(second);
    else if (first === 'restart') this.#restart(second);
    else if (first === 'leave') this.#leave(second);
    else if (second === 'releases') this.#release(first);
    else if (second === 'is') this.#inUse(first, Number(words[4]));
    else if (second === 'at') this.#request(first, third, words.slice(3));
    else throw new Error(`no such command: ${command}`);
    return [...this.#lines];
  }

  #start(ids: readonly string[]): void {
    this.#ids = ids;
    for (const id of ids) this.#restart(id);
    this.#deliverAll();
    // How a group starts is the engine's conversation, told where a member restarts.
    this.#lines.length = 0;
    for (const id of ids) {
      const { view } = this.#processes.get(id)!.node;
      this.#say(
        `${id} is in the view ${view!.epoch} of ${view!.members.map((m) => m.id).join(' ')}`,
      );
    }
  }

  #restart(id: string): void {
    const incarnation = (this.#incarnations.get(id) ?? 0) + 1;
    this.#incarnations.set(id, incarnation);
    const peers = this.#ids.filter((other) => other !== id);
    const settings = { self: { id, incarnation }, peers, rules: this.#rules, turns: 2 };
    const node = new GroupNode(settings, fixed());
    node.now = EPOCH_ZERO;
    this.#processes.set(id, { node, incarnation, sessions: new Map(), turns: [] });
    this.#step(id, { type: 'start' });
    for (const other of peers) {
      this.#channels.set(`${other} ${id}`, []);
      const peer = this.#processes.get(other);
      if (peer === undefined) continue;
      this.#channel(id, other).push({ type: 'session', incarnation });
      this.#channel(other, id).push({ type: 'session', incarnation: peer.incarnation });
    }
  }

  #crash(id: string): void {
    this.#processes.delete(id);
    for (const other of this.#ids) this.#channels.set(`${other} ${id}`, []);
  }

  #leave(id: string): void {
    this.#step(id, { type: 'leave', reason: new Error(`${id} left`) });
    this.#crash(id);
  }

  #request(name: string, member: string, [verb = '', lock = '', ...rest]: string[]): void {
    const spec: RequestSpec = {
      name: lock,
      permits: rest[0] === 'of' ? Number(rest[1]) : 0,
      mode: rest.includes('shared') ? 'shared' : 'exclusive',
      how: verb === 'tries' ? 'try' : verb === 'steals' ? 'steal' : 'wait',
      reentries: rest[0] === 'for' ? Number(rest[1]) : 0,
    };
    const request = new Request(spec, member, name);
    this.#requests.set(name, { request, member });
    this.#step(member, { type: 'request', request });
  }

  #release(name: string): void {
    const { request, member } = this.#requests.get(name)!;
    this.#step(member, { type: 'release', request });
  }

  #inUse(name: string, reentries: number): void {
    const { request, member } = this.#requests.get(name)!;
    this.#step(member, { type: 'inUse', request, reentries });
  }

  #channel(from: string, to: string): InFlight[] {
    const key = `${from} ${to}`;
    const channel = this.#channels.get(key) ?? [];
    this.#channels.set(key, channel);
    return channel;
  }

  /** Delivers one message of each channel in turn, and ends turns once nothing is in flight. */
  #deliverAll(): void {
    for (let isQuiet = false; !isQuiet; ) {
      isQuiet = true;
      for (const from of this.#ids) {
        for (const to of this.#ids) {
          if (from === to || !this.#processes.has(to) || this.#channel(from, to).length === 0)
            continue;
          this.#deliver(from, to);
          isQuiet = false;
        }
      }
      if (!isQuiet) continue;
      for (const id of this.#ids) if (this.#endTurn(id)) isQuiet = false;
    }
  }

  #deliver(from: string, to: string): void {
    const process = this.#processes.get(to)!;
    const message = this.#channel(from, to).shift()!;
    if (message.type === 'session') {
      const { incarnation } = message;
      process.sessions.set(from, incarnation);
      this.#say(`${from} → ${to}  a session begins`);
      this.#step(to, { type: 'session', peer: { id: from, incarnation } });
      return;
    }
    this.#say(`${from} → ${to}  ${described(message)}`);
    this.#step(to, { type: 'message', from, message });
  }

  #endTurn(id: string): boolean {
    const process = this.#processes.get(id);
    const timers = process?.turns.splice(0) ?? [];
    for (const timer of timers) this.#step(id, { type: 'timer', timer });
    return timers.length > 0;
  }

  #step(id: string, event: GroupEvent): void {
    const process = this.#processes.get(id)!;
    const { node } = process;
    const { effects } = node;
    node.step(event);
    for (const { event: what, details } of [...effects.reports].filter((r) => r.type === 'log')) {
      if (what === 'begun') this.#say(`  ${id}: the view ${details['epoch']} begins`);
      if (what === 'view')
        this.#say(`  ${id}: adopts the view ${details['epoch']} of ${details['members']}`);
    }
    for (const outcome of effects.outcomes) {
      const { request } = outcome;
      const fence = `${request.epoch}.${fenceValue(request) & 0x3fffffn}`;
      const loan = request.step > 0 ? `, lent for ${request.reentries} re-entries` : '';
      const what = {
        granted: `is granted the lock, fence ${fence}${loan}`,
        wanted: 'is asked to give the lock back',
        refused: 'is refused: another caller has the lock',
        failed: 'fails',
        lost: 'has lost the lock',
      }[outcome.type];
      const why = 'error' in outcome ? `: ${outcome.error.message}` : '';
      this.#say(`  ${id}: ${request.caller} ${what}${why}`);
    }
    process.turns.push(...[...effects.timersSet].filter(({ after }) => typeof after === 'string'));
    for (const send of effects.sends) this.#send(id, process, send);
    effects.clear();
  }

  #send(from: string, process: Process, send: Send): void {
    const receiver = this.#processes.get(send.to);
    if (process.sessions.get(send.to) !== receiver?.incarnation || receiver === undefined) return;
    const message = structuredClone(asMessage(send));
    this.#channel(from, send.to).push(message);
    this.#say(`  ${from}: sends to ${send.to}  ${described(message)}`);
  }

  #say(line: string): void {
    this.#lines.push(line);
  }
}

const rulesFor = (algorithm: string): Rules => ({
  locks: [{ match: '*', algorithm }],
  semaphores: DEFAULT_RULES.semaphores,
});

function asMessage(send: Send): Message {
  if (send.type !== 'lock') return { type: send.type, message: send.message } as Message;
  const { lock, fromSlot, toSlot, clock, message } = send;
  const { epoch, name, permits } = lock;
  return { type: 'lock', epoch, name, permits, fromSlot, toSlot, clock, message };
}

function described(message: Message): string {
  if (message.type === 'stale') return 'stale';
  if (message.type === 'lock') {
    const { name, message: inner, fromSlot, toSlot, clock } = message;
    const slots = fromSlot + toSlot > 0 ? ` ${fromSlot}→${toSlot}` : '';
    return `${inner.type}${fieldsOf(inner)} of ${name}${slots}, clock ${clock}`;
  }
  if (message.type === 'engine') return `view${fieldsOf(message.message as object)}`;
  return `${message.message.type}${fieldsOf(message.message)}`;
}

const fieldsOf = (fields: object): string =>
  Object.entries(fields)
    .filter(([name, value]) => name !== 'type' && !(name === 'permits' && value === 0))
    .map(([name, value]) => ` ${name}=${JSON.stringify(value).replaceAll('"', '')}`)
    .join('');

/** A file with everything after each `----` worked out anew. */
export function retold(text: string): string {
  const conversation = new Conversation();
  const out: string[] = [];
  let block: string[] = [];
  let isAnswer = false;
  for (const line of text.split('\n')) {
    if (isAnswer) {
      if (line !== '') continue;
      isAnswer = false;
    }
    out.push(line);
    if (line === '----') {
      for (const command of block) out.push(...conversation.run(command));
      block = [];
      isAnswer = true;
    } else if (line !== '' && !line.startsWith('#')) block.push(line);
  }
  return out.join('\n');
}
