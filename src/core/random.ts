import { exp, ln } from './arithmetic.ts';

const TWO_26 = 0x400_0000;
const TWO_32 = 0x1_0000_0000;
const TWO_53 = 0x20_0000_0000_0000;

/**
 * Random numbers that are the same on every machine: Chris Doty-Humphrey's sfc32, of PractRand.
 *
 * A run draws from several streams, each named for what it decides. They are independent: a run with
 * other delays sees the same requests. `Draws` divides such a stream further.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  /** Normal numbers come in pairs; this is the second of a pair. */
  #spare = 0;
  #hasSpare = false;

  /** The stream of that name, for a seed from 0 to 2⁵³ − 1. */
  constructor(seed: number, stream: string) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / TWO_32) | 0;
    this.#c = hash(stream);
    // Neighbouring seeds begin alike; after a dozen rounds the streams have nothing in common.
    for (let round = 0; round < 20; round++) this.next();
  }

  /**
   * Begins anew, as the part `count` of the stream `key` of that purpose. A million links have a stream
   * each, and none of them takes memory: a part is found by its number.
   */
  seek(seed: number, purpose: number, key: number, count: number): void {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / TWO_32) ^ (key | 0) ^ Math.imul(key / TWO_32, 0x85ebca6b);
    this.#c = purpose ^ Math.imul(count, 0x9e3779b1);
    this.#counter = 1;
    this.#hasSpare = false;
    // Fifteen rounds are what PractRand takes to mix three words of seed.
    for (let round = 0; round < 15; round++) this.next();
  }

  /** 32 random bits, as a whole number from 0 to 2³² − 1. */
  next(): number {
    const out = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + out) | 0;
    return out >>> 0;
  }

  /** A whole number from 0 to below − 1, all equally likely; `below` is at most 2³². */
  below(below: number): number {
    // The last, incomplete block of `below` numbers would favour small results: draw again.
    const limit = TWO_32 - (TWO_32 % below);
    let drawn = this.next();
    while (drawn >= limit) drawn = this.next();
    return drawn % below;
  }

  /** From 0 up to but not including 1, in steps of 2⁻⁵³. */
  uniform(): number {
    const high = this.next() >>> 5;
    return (high * TWO_26 + (this.next() >>> 6)) / TWO_53;
  }

  exponential(mean: number): number {
    return -mean * ln(1 - this.uniform());
  }

  /** Mean 0, deviation 1: Marsaglia's polar method, which needs no sine. */
  normal(): number {
    if (this.#hasSpare) {
      this.#hasSpare = false;
      return this.#spare;
    }
    let x: number;
    let y: number;
    let r: number;
    do {
      x = 2 * this.uniform() - 1;
      y = 2 * this.uniform() - 1;
      r = x * x + y * y;
    } while (r >= 1 || r === 0);
    const scale = Math.sqrt((-2 * ln(r)) / r);
    this.#spare = y * scale;
    this.#hasSpare = true;
    return x * scale;
  }

  /** e to a normal number of that mean and deviation. */
  lognormal(mu: number, sigma: number): number {
    // Forty deviations do not occur; without the bound a huge sigma could still reach infinity.
    return exp(Math.max(-700, Math.min(700, mu + sigma * this.normal())));
  }
}

/**
 * One purpose, such as delays, and an independent stream for each link or site. What is drawn depends on the
 * link and on how many messages it has carried, and not on what happens elsewhere. So if one event of a run changes,
 * only what follows from that event changes.
 */
export class Draws {
  readonly #seed: number;
  readonly #purpose: number;
  readonly #random: Random;

  constructor(seed: number, purpose: string) {
    this.#seed = seed;
    this.#purpose = hash(purpose);
    this.#random = new Random(seed, purpose);
  }

  /** Random numbers for the event `count` of the stream `key`; they are good until the next call. */
  at(key: number, count: number): Random {
    this.#random.seek(this.#seed, this.#purpose, key, count);
    return this.#random;
  }
}

/** FNV-1a: spreads the names of the streams over 32 bits. */
function hash(name: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
  return h | 0;
}
