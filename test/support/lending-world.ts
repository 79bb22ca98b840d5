/**
 * Lending as a small world that is explored in full: the daemon of member a with its clients, and member b with one caller.
 * All of it is the code that is deployed (src/client/requests.ts, src/daemon/served-request.ts, src/group); only the
 * connections are lists of messages. A state is plain data.
 *
 * Events: callers request, try, steal, cancel and release; messages arrive, in order on each connection; idle loans go back;
 * a client dies, and the daemon hears of it after what the client has sent; a client is too slow to answer a recall.
 */
import type { ClientMessage, DaemonMessage } from '../../src/client/protocol.ts';
import type { ClientRequests } from '../../src/client/requests.ts';
import type { ServedRequest, ServingSession } from '../../src/daemon/served-request.ts';
import type { Fence, Loan, RequestListener, RequestSpec } from '../../src/group/backend.ts';
import type { Message } from '../../src/group/codec.ts';
import type { Send, Timer } from '../../src/group/effects.ts';
import type { GroupNode } from '../../src/group/node.ts';
import type { Request } from '../../src/group/request.ts';
import type { SavedNode } from '../../src/group/snapshot.ts';

/** The modules of the source, or of a copy of it with a mistake. */
export interface Source {
  readonly requests: typeof import('../../src/client/requests.ts');
  readonly served: typeof import('../../src/daemon/served-request.ts');
  readonly node: typeof import('../../src/group/node.ts');
  readonly request: typeof import('../../src/group/request.ts');
  readonly snapshot: typeof import('../../src/group/snapshot.ts');
  readonly algorithms: typeof import('../../src/group/lock-algorithm.ts');
  readonly fixed: typeof import('../../src/engines/fixed.ts');
}

export async function sourceIn(folder: string): Promise<Source> {
  return {
    requests: await import(`${folder}/client/requests.ts`),
    served: await import(`${folder}/daemon/served-request.ts`),
    node: await import(`${folder}/group/node.ts`),
    request: await import(`${folder}/group/request.ts`),
    snapshot: await import(`${folder}/group/snapshot.ts`),
    algorithms: await import(`${folder}/group/lock-algorithm.ts`),
    fixed: await import(`${folder}/engines/fixed.ts`),
  };
}

/** `read` is a shared request that waits. The caller at b is the only one that makes it. */
type How = RequestSpec['how'] | 'read';

interface CallerState {
  stage: 'idle' | 'waiting' | 'inside';
  how: How;
  /** How many more requests it makes. */
  left: number;
  /** Another caller has been inside, or has waited, since it asked. */
  wasContended: boolean;
  /** Its place among the requests of its client. */
  order: number;
}

interface ClientState {
  isUp: boolean;
  callers: CallerState[];
  lastId: number;
  pending: { id: number; caller: number; isGranted: boolean }[];
  loans: { id: number; isInside: boolean }[];
  toDaemon: (ClientMessage | { readonly type: 'end' })[];
  toClient: DaemonMessage[];
  served: { id: number; isGranted: boolean; isRecalled: boolean }[];
}

export interface LendingState {
  members: [SavedNode, SavedNode];
  /** From a to b, and from b to a. */
  channels: [Message[], Message[]];
  clients: ClientState[];
  /** The caller at b. */
  other: CallerState;
  /** The clock of the latest entry. */
  latest: number;
  crashes: number;
  delays: number;
}

export interface LendingSettings {
  /** How many requests each caller of each client makes. */
  readonly clients: readonly (readonly number[])[];
  readonly hows: readonly How[];
  /** Requests of the caller at b, and their kinds. */
  readonly others: number;
  readonly otherHows: readonly How[];
  readonly reentries: number;
  readonly crashes: number;
  /** How often a client is too slow to answer a recall. */
  readonly delays: number;
}

export interface Violation {
  readonly property: string;
  readonly why: string;
}

export interface Successor {
  readonly event: string;
  /** Without it, callers that wait could wait for ever. */
  readonly isDuty: boolean;
  readonly state: LendingState;
  readonly violation: Violation | undefined;
  readonly isReentry: boolean;
}

const NAME = 'u'; // its token begins at a
const IDS = ['a', 'b'] as const;
const quietMeter = { moved: () => {} };

class ViolationFound extends Error {
  readonly violation: Violation;
  constructor(property: string, why: string) {
    super(why);
    this.violation = { property, why };
  }
}

export class LendingWorld {
  readonly #source: Source;
  readonly #settings: LendingSettings;

  constructor(source: Source, settings: LendingSettings) {
    this.#source = source;
    this.#settings = settings;
  }

  /** Both members are in their first view, and the first client has just had the lock: it is lent it the next time. */
  initial(): LendingState {
    const { clients, others, crashes, delays } = this.#settings;
    const caller = (left: number): CallerState => ({
      stage: 'idle',
      how: 'wait',
      left,
      wasContended: false,
      order: 0,
    });
    const nodes = [this.#fresh(0), this.#fresh(1)] as const;
    for (const node of nodes) node.step({ type: 'start' });
    for (const [i, node] of nodes.entries()) {
      node.step({ type: 'session', peer: { id: IDS[1 - i]!, incarnation: 1 } });
    }
    for (let isQuiet = false; !isQuiet; ) {
      isQuiet = true;
      for (const [i, node] of nodes.entries()) {
        for (const message of sent(node)) {
          isQuiet = false;
          nodes[1 - i]!.step({ type: 'message', from: IDS[i]!, message });
        }
      }
    }
    const request = new this.#source.request.Request(this.#spec('wait'), clientIdOf(0), 'before');
    nodes[0].step({ type: 'request', request });
    nodes[0].step({ type: 'release', request });
    const { save } = this.#source.snapshot;
    return {
      members: [save(nodes[0]), save(nodes[1])],
      channels: [[], []],
      clients: clients.map((lefts) => ({
        isUp: true,
        callers: lefts.map(caller),
        lastId: 0,
        pending: [],
        loans: [],
        toDaemon: [],
        toClient: [],
        served: [],
      })),
      other: caller(others),
      latest: request.clock,
      crashes,
      delays,
    };
  }

  #fresh(member: number): GroupNode {
    const { algorithms, fixed, node } = this.#source;
    const settings = {
      self: { id: IDS[member]!, incarnation: 1 },
      peers: [IDS[1 - member]!],
      rules: algorithms.DEFAULT_RULES,
      turns: 2,
    };
    return new node.GroupNode(settings, fixed.fixed());
  }

  #spec(how: How): RequestSpec {
    return { ...specOf(how), reentries: this.#settings.reentries };
  }

  successors(state: LendingState): Successor[] {
    const found: Successor[] = [];
    const take = (event: string, isDuty: boolean, step: (run: Run) => void) => {
      const run = new Run(this.#source, this.#settings, structuredClone(state), (member) =>
        this.#fresh(member),
      );
      let violation: Violation | undefined;
      try {
        step(run);
        run.conclude();
      } catch (error) {
        if (!(error instanceof ViolationFound)) throw error;
        violation = error.violation;
      }
      const { isReentry } = run;
      found.push({ event, isDuty, state: run.state, violation, isReentry });
    };
    const { hows, otherHows } = this.#settings;
    for (const [i, client] of state.clients.entries()) {
      if (client.toDaemon.length > 0) {
        take(`the daemon hears ${client.toDaemon[0]!.type} of client ${i}`, true, (run) =>
          run.hearClient(i),
        );
      }
      for (const { id, isRecalled } of client.served) {
        if (isRecalled && state.delays > 0) {
          take(`client ${i} is slow to answer`, false, (run) => run.giveUpRecall(i, id));
        }
      }
      if (!client.isUp) continue;
      if (client.toClient.length > 0) {
        take(`client ${i} hears ${client.toClient[0]!.type}`, true, (run) => run.hearDaemon(i));
      }
      // No duty: a caller that waits must get the lock by a recall, even if the client goes on using it.
      if (client.loans.length > 0) take(`time passes at ${i}`, false, (run) => run.giveBackIdle(i));
      if (state.crashes > 0) take(`client ${i} dies`, false, (run) => run.crash(i));
      for (const [j, caller] of client.callers.entries()) {
        const who = `caller ${j} of client ${i}`;
        if (caller.stage === 'inside') take(`${who} leaves`, true, (run) => run.leave(i, j));
        if (caller.stage === 'waiting') take(`${who} cancels`, false, (run) => run.leave(i, j));
        if (caller.stage !== 'idle' || caller.left === 0) continue;
        for (const how of hows) take(`${who}: ${how}`, false, (run) => run.ask(i, j, how));
      }
    }
    for (const from of [0, 1] as const) {
      if (state.channels[from].length > 0) {
        take(`${IDS[from]} sends`, true, (run) => run.deliver(from));
      }
    }
    for (const member of [0, 1] as const) {
      for (const name of timersOf(state.members[member])) {
        take(`${name} at ${IDS[member]}`, true, (run) => run.fire(member, name));
      }
    }
    const { other } = state;
    if (other.stage === 'inside') take('the caller at b leaves', true, (run) => run.otherLeaves());
    if (other.stage === 'waiting')
      take('the caller at b cancels', false, (run) => run.otherLeaves());
    if (other.stage === 'idle' && other.left > 0) {
      for (const how of otherHows) take(`b: ${how}`, false, (run) => run.otherAsks(how));
    }
    return found;
  }
}

/** One step: a state that is changed by the code that is deployed. */
class Run {
  readonly state: LendingState;
  isReentry = false;
  readonly #source: Source;
  readonly #settings: LendingSettings;
  readonly #fresh: (member: number) => GroupNode;
  readonly #nodes: (GroupNode | undefined)[] = [undefined, undefined];
  readonly #served = new Map<string, ServedRequest>();
  #isHearing = false;

  constructor(
    source: Source,
    settings: LendingSettings,
    state: LendingState,
    fresh: (member: number) => GroupNode,
  ) {
    this.#source = source;
    this.#settings = settings;
    this.state = state;
    this.#fresh = fresh;
  }

  // The members.

  #node(member: 0 | 1): GroupNode {
    const known = this.#nodes[member];
    if (known !== undefined) return known;
    const node = this.#fresh(member);
    node.engine.start(node.engineEnvironment);
    this.#source.snapshot.load(node, this.state.members[member]);
    node.effects.clear();
    this.#nodes[member] = node;
    return node;
  }

  #step(member: 0 | 1, event: Parameters<GroupNode['step']>[0]): void {
    const node = this.#node(member);
    node.step(event);
    const outcomes = [...node.effects.outcomes];
    this.state.channels[member].push(...sent(node));
    for (const outcome of outcomes) {
      if (member === 1) this.#otherHears(outcome.type, outcome.request);
      else this.#tellServed(outcome);
    }
  }

  deliver(from: 0 | 1): void {
    const message = this.state.channels[from].shift()!;
    this.#step(from === 0 ? 1 : 0, { type: 'message', from: IDS[from], message });
  }

  fire(member: 0 | 1, name: string): void {
    const timer = [...this.#node(member).locks]
      .flatMap(({ turnTimer, yielding }): (Timer | null)[] => [turnTimer, yielding.timer])
      .find((each) => each?.name === name)!;
    this.#step(member, { type: 'timer', timer });
  }

  // The caller at b.

  otherAsks(how: How): void {
    this.state.other = this.#asking(this.state.other, how, 0);
    const request = new this.#source.request.Request(specOf(how), 'b', 'other');
    this.#step(1, { type: 'request', request });
  }

  otherLeaves(): void {
    this.state.other.stage = 'idle';
    this.#step(1, { type: 'release', request: requestOf(this.#node(1), 'other') });
  }

  #otherHears(type: string, request: Request): void {
    const { other } = this.state;
    if (type === 'granted') {
      this.#enter(other, request.clock, 'the caller at b');
      return;
    }
    if (type === 'refused') this.#judgeRefusal(other, 'b');
    other.stage = 'idle';
  }

  // The daemon.

  #servedRequest(client: number, id: number): ServedRequest {
    const key = `${client} ${id}`;
    const known = this.#served.get(key);
    if (known !== undefined) return known;
    const { ServedRequest } = this.#source.served;
    const request = new ServedRequest(this.#session(client), quietMeter, id, specOf('wait'), 0);
    const saved = this.state.clients[client]!.served.find((each) => each.id === id)!;
    request.isGranted = saved.isGranted;
    request.isRecalled = saved.isRecalled;
    request.handle = {
      release: () => this.#step(0, { type: 'release', request: requestOf(this.#node(0), key) }),
      inUse: (reentries) => {
        this.#step(0, { type: 'inUse', request: requestOf(this.#node(0), key), reentries });
      },
    };
    this.#served.set(key, request);
    return request;
  }

  #session(client: number): ServingSession {
    const state = this.state.clients[client]!;
    const forget = ({ id }: ServedRequest) => {
      state.served = state.served.filter((each) => each.id !== id);
    };
    const tell = (message: DaemonMessage) => {
      if (state.isUp) state.toClient.push(message);
    };
    return {
      granted: ({ id }, { epoch, clock }, loan) => {
        if (loan === undefined) tell({ type: 'granted', id, epoch, clock });
        else tell({ type: 'lent', id, epoch, clock, ...loan });
      },
      recall: ({ id }) => tell({ type: 'recall', id }),
      over: (request, message) => {
        forget(request);
        tell(message);
      },
      lost: () => {},
    };
  }

  #tellServed(outcome: { readonly type: string; readonly request: Request }): void {
    const [client, id] = (outcome.request.caller as string).split(' ').map(Number);
    const served = this.#servedRequest(client!, id!);
    const { epoch, clock, reentries, step } = outcome.request;
    const loan: Loan | undefined = step > 0 ? { reentries, step } : undefined;
    if (outcome.type === 'granted') {
      // The caller may have cancelled: the daemon will hear of it.
      for (const caller of this.#allCallers()) caller.wasContended = true;
      served.granted({ epoch, clock }, loan);
    } else if (outcome.type === 'wanted') served.wanted();
    else if (outcome.type === 'refused') served.busy();
    else if (outcome.type === 'lost') served.lost(new Error('lost'));
    else served.failed(new Error('failed'));
  }

  hearClient(client: number): void {
    const state = this.state.clients[client]!;
    const message = state.toDaemon.shift()!;
    if (message.type === 'ask') {
      const { id, name, permits, mode, how, mayLend } = message;
      const reentries = mayLend === true ? this.#settings.reentries : 0;
      state.served.push({ id, isGranted: false, isRecalled: false });
      const request = new this.#source.request.Request(
        { name, permits, mode, how, reentries },
        clientIdOf(client),
        `${client} ${id}`,
      );
      this.#step(0, { type: 'request', request });
    } else if (message.type === 'using') {
      if (state.served.some(({ id }) => id === message.id)) {
        this.#servedRequest(client, message.id).used(message.reentries);
      }
    } else if (message.type === 'done') this.#release(client, message.id);
    else for (const { id } of [...state.served]) this.#release(client, id);
  }

  #release(client: number, id: number): void {
    const state = this.state.clients[client]!;
    if (!state.served.some((each) => each.id === id)) return;
    const served = this.#servedRequest(client, id);
    state.served = state.served.filter((each) => each.id !== id);
    served.release();
  }

  /** The daemon waits no longer for the answer to a recall. */
  giveUpRecall(client: number, id: number): void {
    this.state.delays--;
    this.#servedRequest(client, id).used(0);
    for (const caller of this.#allCallers()) caller.wasContended = true;
  }

  // The clients.

  #client<T>(i: number, use: (requests: ClientRequests) => T): T {
    const state = this.state.clients[i]!;
    const requests = new this.#source.requests.ClientRequests({
      send: (message) => state.toDaemon.push(message),
      nextId: () => ++state.lastId,
      now: () => this.#now,
      mayTell: () => true,
      mayReenter: () => true,
      checkDeadline: () => {},
    });
    requests.mayBorrow = true;
    for (const { id, caller, isGranted } of state.pending) {
      requests.add(id, NAME, this.#listener(i, caller)).isGranted = isGranted;
    }
    for (const loan of state.loans) requests.loans.add(loan as never);
    const result = use(requests);
    state.pending = [...requests.pending.values()].map(({ id, listener, isGranted }) => ({
      id,
      caller: (listener as RequestListener & { caller: number }).caller,
      isGranted,
    }));
    state.loans = [...requests.loans];
    return result;
  }
  #now = 0;

  #listener(client: number, caller: number): RequestListener & { readonly caller: number } {
    const state = () => this.state.clients[client]!.callers[caller]!;
    const who = `caller ${caller} of client ${client}`;
    const end = () => {
      state().stage = 'idle';
    };
    return {
      caller,
      granted: ({ clock }: Fence) => this.#enter(state(), clock, who, client),
      busy: () => {
        this.#judgeRefusal(state(), who);
        end();
      },
      failed: end,
      lost: end,
    };
  }

  ask(client: number, caller: number, how: How): void {
    const { callers } = this.state.clients[client]!;
    const order = 1 + Math.max(...callers.map((each) => (each.stage === 'idle' ? 0 : each.order)));
    callers[caller] = this.#asking(callers[caller]!, how, order);
    this.#client(client, (requests) => {
      const before = this.state.clients[client]!.toDaemon.length;
      requests.request(specOf(how), this.#listener(client, caller));
      const { stage } = this.state.clients[client]!.callers[caller]!;
      this.isReentry = stage === 'inside' && before === this.state.clients[client]!.toDaemon.length;
    });
  }

  leave(client: number, caller: number): void {
    this.state.clients[client]!.callers[caller]!.stage = 'idle';
    this.#client(client, (requests) => {
      const found = [...requests.pending.values()].find(
        ({ listener }) => (listener as RequestListener & { caller: number }).caller === caller,
      );
      found!.release();
    });
  }

  hearDaemon(client: number): void {
    const message = this.state.clients[client]!.toClient.shift()!;
    this.#isHearing = true;
    this.#client(client, (requests) => {
      if (message.type === 'granted') requests.granted(message.id, message);
      else if (message.type === 'lent') requests.granted(message.id, message, message);
      else if (message.type === 'recall') requests.recall(message.id);
      else if (message.type === 'busy') requests.busy(message.id);
      else if (message.type === 'failed') requests.failed(message.id, new Error('failed'));
      else if (message.type === 'lost') requests.lost(message.id, new Error('lost'));
    });
  }

  giveBackIdle(client: number): void {
    this.#now = Number.MAX_SAFE_INTEGER;
    this.#client(client, (requests) => requests.giveBackIdle());
  }

  crash(client: number): void {
    const state = this.state.clients[client]!;
    this.state.crashes--;
    state.isUp = false;
    state.toDaemon.push({ type: 'end' });
    state.toClient = [];
    state.pending = [];
    state.loans = [];
    for (const caller of state.callers) Object.assign(caller, { stage: 'idle', left: 0 });
  }

  // What is judged.

  #asking(caller: CallerState, how: How, order: number): CallerState {
    return { stage: 'waiting', how, left: caller.left - 1, wasContended: false, order };
  }

  *#allCallers(): Generator<CallerState> {
    yield this.state.other;
    for (const { callers } of this.state.clients) yield* callers;
  }

  /** The client will hear that the lock was stolen from it: until then its caller does not count as inside. */
  #isRobbed(client: number): boolean {
    return this.state.clients[client]!.toClient.some(({ type }) => type === 'lost');
  }

  #enter(caller: CallerState, clock: number, who: string, client?: number): void {
    if (caller.stage !== 'waiting') throw new ViolationFound('told-once', `${who} is told twice`);
    caller.stage = 'inside';
    this.#judgeOrder(caller, who, client);
    // It was granted the lock, and robbed, before it hears of either; or it was too slow to answer.
    const mayBeLate = this.#isHearing || this.state.delays < this.#settings.delays;
    if (client !== undefined && mayBeLate && this.#isRobbed(client)) return;
    for (const [i, { callers }] of this.state.clients.entries()) {
      for (const other of callers) {
        if (other === caller || other.stage !== 'inside' || this.#isRobbed(i)) continue;
        throw new ViolationFound('mutual-exclusion', `${who} enters, and client ${i} is inside`);
      }
    }
    if (this.state.other !== caller && this.state.other.stage === 'inside') {
      throw new ViolationFound('mutual-exclusion', `${who} enters, and b is inside`);
    }
    if (clock <= this.state.latest) {
      const why = `${who} enters with the clock ${clock} after ${this.state.latest}`;
      throw new ViolationFound('fences-grow', why);
    }
    this.state.latest = clock;
  }

  #judgeOrder({ how, order }: CallerState, who: string, client: number | undefined): void {
    if (client === undefined || how === 'steal') return;
    for (const other of this.state.clients[client]!.callers) {
      if (other.stage !== 'waiting' || other.order > order || other.how === 'steal') continue;
      throw new ViolationFound('in-order', `${who} overtakes another caller of its client`);
    }
  }

  #judgeRefusal({ wasContended }: CallerState, who: string): void {
    if (wasContended) return;
    const why = `${who} is refused, and no other caller was inside or waiting`;
    throw new ViolationFound('try-is-honest', why);
  }

  /** Writes the members and the daemon back, and judges the state. */
  conclude(): void {
    const { state } = this;
    for (const member of [0, 1] as const) {
      const node = this.#nodes[member];
      if (node !== undefined) state.members[member] = this.#source.snapshot.save(node);
    }
    for (const [key, { isGranted, isRecalled }] of this.#served) {
      const [client, id] = key.split(' ').map(Number);
      const saved = state.clients[client!]!.served.find((each) => each.id === id);
      if (saved !== undefined) Object.assign(saved, { isGranted, isRecalled });
    }
    this.#noteContention();
    for (const [i, client] of state.clients.entries()) this.#judgeRecalls(i, client);
  }

  /** Which waiting callers are in the way of another, or of a request that the daemon still counts as waiting or held. */
  #noteContention(): void {
    const known = this.state.members[0].locks
      .flatMap(({ sites, queue, leftover }) => [
        ...sites.flatMap(({ holders }) => holders),
        ...queue,
        ...leftover,
      ])
      .filter(({ loan }) => loan === 'none')
      .map(({ caller }) => caller as string)
      .filter((caller) => !this.#isIdleLoan(caller));
    const note = (caller: CallerState, key: string) => {
      const isAnother = (other: CallerState) => other !== caller && other.stage !== 'idle';
      const isContended =
        [...this.#allCallers()].some(isAnother) || known.some((other) => other !== key);
      caller.wasContended = caller.stage === 'waiting' && (caller.wasContended || isContended);
    };
    note(this.state.other, 'other');
    for (const [i, { callers, pending }] of this.state.clients.entries()) {
      for (const [j, caller] of callers.entries()) {
        note(caller, `${i} ${pending.find((each) => each.caller === j)?.id}`);
      }
    }
  }

  /** The client knows that nobody is inside by this request. */
  #isIdleLoan(key: string): boolean {
    const [client, id] = key.split(' ').map(Number);
    return this.state.clients[client!]!.loans.some((loan) => loan.id === id && !loan.isInside);
  }

  #judgeRecalls(i: number, { served, toClient, toDaemon }: ClientState): void {
    for (const { id, isRecalled } of served) {
      if (!isRecalled) continue;
      const isAsked = toClient.some((message) => message.type === 'recall' && message.id === id);
      const isAnswered = toDaemon.some(
        (message) =>
          message.type === 'end' ||
          ((message.type === 'done' || message.type === 'using') && message.id === id),
      );
      if (isAsked || isAnswered) continue;
      throw new ViolationFound('recall-answered', `client ${i} never answers the recall of ${id}`);
    }
  }
}

const specOf = (how: How): RequestSpec => ({
  name: NAME,
  permits: 0,
  mode: how === 'read' ? 'shared' : 'exclusive',
  how: how === 'read' ? 'wait' : how,
});

const clientIdOf = (client: number): string => `a/${client}`;

function requestOf(node: GroupNode, caller: string): Request {
  for (const lock of node.locks) {
    for (const request of [...lock.queue, ...lock.held()]) {
      if (request.caller === caller) return request;
    }
  }
  throw new Error(`no request of ${caller}`);
}

/** What a step has sent, and clears its effects. */
function sent(node: GroupNode): Message[] {
  const messages = [...node.effects.sends].map(messageOf);
  node.effects.clear();
  return messages;
}

function messageOf(send: Send): Message {
  if (send.type !== 'lock')
    return structuredClone({ type: send.type, message: send.message } as Message);
  const { lock, fromSlot, toSlot, clock, message } = send;
  const { epoch, name, permits } = lock;
  return structuredClone({ type: 'lock', epoch, name, permits, fromSlot, toSlot, clock, message });
}

/** The timers that are set. The one of a try is left out: no try needs it, while members and clients answer. */
const timersOf = ({ locks }: SavedNode): string[] =>
  locks.flatMap(({ isTurnOver, yielding }) => [
    ...(isTurnOver ? ['turn'] : []),
    ...(yielding.after !== null ? ['yield'] : []),
  ]);
