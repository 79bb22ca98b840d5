import { expect, test } from 'vitest';
import { Random } from '../../src/core/random.ts';
import { ackFrame, frame, kinds } from '../../src/net/frames.ts';
import { encodeHello, encodeRefusal } from '../../src/net/hello.ts';
import { Model, OURS, Target } from '../support/net-fuzz.ts';
import { message } from '../support/net-raw-client.ts';

const FRAMES = 1_000_000;

test('of a million frames, valid and not, exactly the valid ones are delivered, and nothing throws', async () => {
  const random = new Random(2024, 'fuzz');
  const target = new Target();
  await target.links.open();
  const expected: string[] = [];
  const models = {
    a: new Model('a', (line) => expected.push(line)),
    c: new Model('c', (line) => expected.push(line)),
  };
  const coin = (oneIn: number) => random.below(oneIn) === 0;
  const noise = (most: number) =>
    Uint8Array.from({ length: random.below(most) }, () => random.below(256));

  /** Changes a byte, removes some, inserts some, or cuts the end off. */
  function mutated(bytes: Uint8Array): Uint8Array {
    const all = [...bytes];
    const at = random.below(all.length);
    const how = random.below(5);
    if (how === 0) all[at] = random.below(256);
    else if (how === 1) all[at]! ^= 1 << random.below(8);
    else if (how === 2) all.splice(at, 1 + random.below(4));
    else if (how === 3) all.splice(at, 0, ...noise(4));
    else all.length = at;
    return Uint8Array.from(all);
  }

  function hello(peer: 'a' | 'c'): Uint8Array {
    const model = models[peer];
    const isSame = !coin(20) && model.incarnation > 0;
    const incarnation = isSame ? model.incarnation : model.incarnation + 1 - random.below(2);
    const received = model.acknowledged + random.below(model.sent - model.acknowledged + 1);
    const identity = { group: 'test', digest: 'same', declarations: '', from: peer, to: 'b' };
    const versions = { least: 1, most: 1 };
    const resumes = isSame ? { knows: OURS, received } : { knows: 0, received: 0 };
    return encodeHello({ ...identity, versions, incarnation, ...resumes, gaveUp: false });
  }

  let word = 0;
  function right(peer: 'a' | 'c', ahead: number): Uint8Array {
    const { received, acknowledged, sent } = models[peer];
    const ack = acknowledged + random.below(sent - acknowledged + 1);
    const kind = random.below(20);
    if (kind === 0) return ackFrame(ack);
    if (kind === 1) return frame(kinds.PING, new Uint8Array(8).fill(random.below(256)));
    if (kind === 2) return frame(kinds.PONG, new Uint8Array(8).fill(random.below(256)));
    if (kind === 3 && coin(10)) return frame(kinds.GOODBYE, new Uint8Array(0));
    if (kind === 4 && coin(10)) {
      return encodeRefusal({ reason: 'gap', detail: 'so it seems' }, true);
    }
    // Sometimes a number that was received before, or one too far ahead.
    const number = coin(30) ? random.below(received + ahead + 3) : received + ahead;
    return message(number, ack, new TextEncoder().encode(`${word++}`));
  }

  let heard = 0;
  for (let made = 0; made < FRAMES; ) {
    const peer = coin(10) ? 'c' : 'a';
    const parts = [coin(8) ? mutated(hello(peer)) : hello(peer)];
    let ahead = 1;
    for (let count = random.below(60); count > 0; count--) {
      let next = right(peer, ahead);
      if (next[4] === kinds.MESSAGE) ahead++;
      if (coin(25)) next = coin(4) ? noise(40) : mutated(next);
      parts.push(next);
    }
    made += parts.length;
    const stream = Buffer.concat(parts);
    const most = coin(3) ? 4 : 3000;
    const pieces = () => 1 + random.below(most);
    models[peer].connection(stream);
    if (peer === 'a') target.called(stream, pieces);
    else target.calls(stream, pieces);
    expect(target.heard).toEqual(expected);
    expect(target.begun.get(peer) ?? 0).toBe(models[peer].incarnation);
    heard += expected.length;
    target.heard.length = expected.length = 0;
    // Messages to the peer must be acknowledged, and are sent again; a new process starts from nothing.
    if (models[peer].incarnation > 0) {
      for (let count = random.below(3); count > 0; count--) {
        target.links.send(peer, noise(20));
        models[peer].sent++;
      }
    }
    target.clock.advance(0);
  }
  // Not vacuous: many messages were delivered, and every refusal that bytes can cause occurred.
  expect(heard).toBeGreaterThan(FRAMES / 10);
  const { refusals } = target.links.status();
  const given = [
    'wrong-magic',
    'wrong-version',
    'wrong-group',
    'unknown-member',
    'malformed',
  ] as const;
  for (const reason of [...given, 'too-large', 'gap', 'impossible-ack'] as const) {
    expect(refusals[reason], reason).toBeGreaterThan(0);
  }
  expect(target.links.status().halfOpen).toBe(0);
});
