/** A run that is written down step by step, as papers do: which node asks, which message arrives, which node leaves. */
import type { AnyAlgorithm, AnyWorld, NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { Machine } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';

interface InFlight {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: AnyMessage;
}

/** Sites are numbered from 1, as in the papers. */
export class Walk {
  readonly states: unknown[];
  readonly entered: number[] = [];
  readonly underWay: InFlight[] = [];
  readonly sentByType: { [type: string]: number } = {};
  readonly #machine: Machine;

  constructor(algorithm: AnyAlgorithm, world: AnyWorld) {
    this.#machine = new Machine(algorithm, world, () => 0);
    this.states = Array.from({ length: world.n }, (_, me) => this.#machine.init(me));
  }

  get sent(): number {
    return Object.values(this.sentByType).reduce((sum, count) => sum + count, 0);
  }

  /** Each returns what the site sends in return, as in "REPLY to 2". */
  request(site: number): string {
    return this.#act(site, (me, my) => this.#machine.request(me, my, 'exclusive'));
  }

  exit(site: number): string {
    return this.#act(site, (me, my) => this.#machine.release(me, my));
  }

  deliver(type: string, from: number, to: number): string {
    const at = this.underWay.findIndex(
      (sent) => sent.message.type === type && sent.from === from && sent.to === to,
    );
    if (at < 0) return `no ${type} is under way`;
    const [sent] = this.underWay.splice(at, 1);
    return this.#act(to, (me, my) => this.#machine.receive(me, my, from - 1, sent!.message));
  }

  #act(site: number, step: (me: NodeId, my: unknown) => void): string {
    step(site - 1, this.states[site - 1]);
    const { entered, messages, sends, to } = this.#machine.site;
    if (entered) this.entered.push(site);
    const said = Array.from({ length: sends }, (_, i) => {
      assert(to[i]! >= 0, 'no node broadcasts in these papers’ figures');
      const [message, receiver] = [messages[i]!, to[i]! + 1];
      this.underWay.push({ from: site, to: receiver, message });
      this.sentByType[message.type] = (this.sentByType[message.type] ?? 0) + 1;
      return `${message.type} to ${receiver}`;
    });
    return [...said, ...(entered ? ['enters'] : [])].join(', ') || 'nothing';
  }
}
