/** All processes of a contestant request one lock: ours beside each of the others, in turns. */
import { canKeepAwake, keepAwake } from './awake.js';
import { contended, open } from './measure.js';
import { medians, write } from './numbers.js';

// Long enough for rarely used code to be compiled: a service runs for longer.
const WARM_UP = { seconds: 0.5, warmUp: 8 };
// A process that was idle for a while has returned memory to the system, and page faults slow its
// first entries.
const REWARM = { seconds: 0.5, warmUp: 3 };
const SLICE = { seconds: 1, warmUp: 0.3 };

/**
 * Pairs our lock with each of the others: a second of the ring, of ours and of the other, repeated.
 * The speed of the machine changes from minute to minute, but hardly within such a turn, and ratios
 * are formed only within a turn. Everything is measured twice, on the machine as it is and with its
 * CPUs kept awake (awake.js).
 *
 * Five processes of one build may be 7 % faster than five others of the same build, for as long as they live.
 * So each round has new ones, and a median over several rounds tells builds apart that differ by less.
 */
export class Contest {
  #ours;
  #others;
  #conditions;
  #progress;
  #ring;
  #results;
  #turns = 0;

  /** The first contender is ours. */
  constructor(contenders, progress) {
    [this.#ours, ...this.#others] = contenders;
    this.#progress = progress;
    const awake = canKeepAwake();
    if (awake !== true) progress(`  contended: to keep the CPUs awake ${awake}: left out`);
    this.#conditions = awake === true ? ['quiet', 'awake'] : ['quiet'];
    this.#ring = this.#noneYet();
    this.#results = new Map(contenders.map((contestant) => [contestant, this.#noneYet()]));
  }

  /** New processes of all contenders, and so many turns of each pair. */
  async round(places, reference, slices) {
    const teams = new Map();
    const run = (contestant, how) => contended(teams.get(contestant), 'contended', how);
    let stopLoops = () => {};
    try {
      for (const contestant of this.#results.keys()) {
        teams.set(contestant, await open(contestant, places.get(contestant)));
        await run(contestant, WARM_UP);
        this.#progress(`  contended: ${contestant.name} is warm`);
      }
      for (const other of this.#others) {
        for (const condition of this.#conditions) {
          if (condition === 'awake') stopLoops = keepAwake();
          for (const contestant of [this.#ours, other]) await run(contestant, REWARM);
          for (let slice = 1; slice <= slices; slice++) {
            await this.#turn(condition, other, reference, run);
          }
          stopLoops();
        }
      }
    } finally {
      stopLoops();
      for (const team of teams.values()) await team.stop();
    }
  }

  /** The medians of all rounds, for each condition. */
  of(contestant) {
    return this.#results.has(contestant) ? this.#mediansOf(this.#results.get(contestant)) : {};
  }

  ofRing() {
    return this.#mediansOf(this.#ring);
  }

  async #turn(condition, other, reference, run) {
    const hops = await reference.hops(1);
    const ring = { changes: hops.perSecond, handOver50: hops.p50, handOver99: hops.p99 };
    this.#ring[condition].push(ring);
    const pair = [this.#ours, other];
    const measured = new Map();
    // Neither is always the first.
    for (const contestant of this.#turns++ % 2 === 0 ? pair : pair.toReversed()) {
      const { p50, p99, ...rest } = await run(contestant, SLICE);
      const ofRing = rest.changes / hops.perSecond;
      measured.set(contestant, { ...rest, handOver50: p50, handOver99: p99, ofRing });
    }
    const [mine, theirs] = pair.map((contestant) => measured.get(contestant));
    const times = mine.changes / theirs.changes;
    this.#results.get(this.#ours)[condition].push({ ...mine, ours: 1 });
    this.#results.get(other)[condition].push({ ...theirs, ours: times });
    this.#progress(
      `  ${condition}: ${inShort(mine)}; ${other.name}: ${inShort(theirs)}; ${times.toFixed(2)} times`,
    );
  }

  #noneYet() {
    return Object.fromEntries(this.#conditions.map((condition) => [condition, []]));
  }

  #mediansOf(measured) {
    return Object.fromEntries(
      this.#conditions.map((condition) => [condition, medians(measured[condition])]),
    );
  }
}

function inShort({ changes, ofRing, jain }) {
  return `${write(changes)} hand-overs/s, ${ofRing.toFixed(2)} of the ring, Jain ${jain.toFixed(3)}`;
}
