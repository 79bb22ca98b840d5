import type { FramedConnection } from './framed-connection.ts';
import type { Hello, Refusal } from './hello.ts';

/** What dialers and accepted connections need to complete a handshake. */
export interface Admission {
  /** Why the sender of this HELLO is refused, if it is. */
  judge(connection: FramedConnection, hello: Hello, dialedUs: boolean): Refusal | undefined;
  /** Our HELLO to this member. */
  helloTo(member: string): Hello;
  /** Hands the connection to the link of the member, answering with our HELLO if asked to; or refuses it. */
  admit(connection: FramedConnection, hello: Hello, answer: boolean): Refusal | undefined;
}

/** The HELLOs of both sides while the PROOF of the other side is awaited. */
export interface Unproved {
  readonly ours: Hello;
  readonly theirs: Hello;
}
