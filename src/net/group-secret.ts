/**
 * Proof that a process has the group secret, by challenge and response: each side sends a random nonce in its HELLO, and
 * answers the nonce of the other with an HMAC-SHA256 under the secret. The HMAC covers the names, the incarnation, both
 * nonces and the direction, so that a proof is of no use in another handshake.
 *
 * The secret keeps other processes out. It does not encrypt: an attacker who can change the bytes of an open connection
 * needs to be kept out by TLS.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { UsageError } from '../core/errors.ts';
import { frame, kinds } from './frames.ts';
import type { Hello, Refusal } from './hello.ts';

const MIN_CHARACTERS = 16;
const NONCE_BYTES = 32;
const PROOF_BYTES = 32;

export class GroupSecret {
  readonly #secret: string;

  constructor(secret: string) {
    if (secret.length < MIN_CHARACTERS) {
      const rule = `expected \`secret\` to have at least ${MIN_CHARACTERS} characters, got ${secret.length}`;
      throw new UsageError(`${rule}: make one with \`openssl rand -hex 32\``);
    }
    this.#secret = secret;
  }

  nonce(): string {
    return randomBytes(NONCE_BYTES).toString('hex');
  }

  /** The PROOF frame of the sender of `own`, in answer to the HELLO `other`. */
  prove(own: Hello, other: Hello, dialed: boolean): Uint8Array {
    return frame(kinds.PROOF, this.#handshakeProof(own, other, dialed));
  }

  /** Whether a PROOF frame, from its kind on, is a valid proof of the sender of `own`. */
  isProvedBy(
    bytes: Uint8Array,
    start: number,
    end: number,
    {
      own,
      other,
      dialed,
    }: { readonly own: Hello; readonly other: Hello; readonly dialed: boolean },
  ): boolean {
    if (end - start !== 1 + PROOF_BYTES) return false;
    const expected = this.#handshakeProof(own, other, dialed);
    return timingSafeEqual(bytes.subarray(start + 1, end), expected);
  }

  /** A refusal of the HELLO with this nonce, with its proof. */
  sign(refusal: Refusal, nonce: string): Refusal {
    return { ...refusal, proof: this.#refusalProof(refusal, nonce).toString('hex') };
  }

  isSigned(refusal: Refusal, nonce: string): boolean {
    const proof = Buffer.from(refusal.proof ?? '', 'hex');
    const expected = this.#refusalProof(refusal, nonce);
    return proof.length === expected.length && timingSafeEqual(proof, expected);
  }

  #handshakeProof(own: Hello, other: Hello, dialed: boolean): Buffer {
    const role = dialed ? 'dialed' : 'listened';
    const names = [own.group, own.from, own.incarnation, own.to];
    return this.#hmac([role, ...names, other.nonce ?? '', own.nonce ?? '']);
  }

  #refusalProof({ reason, detail, incarnation = 0 }: Refusal, nonce: string): Buffer {
    return this.#hmac(['refused', reason, detail, incarnation, nonce]);
  }

  #hmac(covered: readonly (string | number)[]): Buffer {
    return createHmac('sha256', this.#secret).update(JSON.stringify(covered)).digest();
  }
}
