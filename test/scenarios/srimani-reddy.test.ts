import { expect, test } from 'vitest';
import { srimaniReddy } from '../../src/algorithms/srimani-reddy.ts';
import { suzukiKasami } from '../../src/algorithms/suzuki-kasami.ts';
import { check } from '../../src/check/check.ts';
import { simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const four = makeWorld(srimaniReddy, { nodes: 4, k: 2 });
const ask = (script: string) =>
  simulate(srimaniReddy, four, { ...unit, workload: 'script', script });

test('four sites, both tokens at 0: another pays N = 4 messages, 0 itself none', () => {
  expect(ask('0 request 2').messages).toBe(4);
  expect(ask('0 request 0').messages).toBe(0);
});

test('tokens at 0 and 1: 2 is sent both, for N+k−1 = 5 messages, and keeps a spare one', () => {
  expect(ask('0 request 1\n100 request 2').messages).toBe(4 + 5);
  // With the spare one it goes in again for nothing.
  expect(ask('0 request 1\n100 request 2\n200 request 2').messages).toBe(4 + 5);
});

test('with one token it costs what Suzuki and Kasami’s does', () => {
  const one = makeWorld(srimaniReddy, { nodes: 5 });
  const settings = { workload: 'saturated', entries: 200 } as const;
  const { messages } = simulate(srimaniReddy, one, settings);
  const sk = simulate(suzukiKasami, makeWorld(suzukiKasami, { nodes: 5 }), settings);
  expect(messages).toBe(sk.messages);
});

test('a site that forgets to whom it has sent a token sends another', () => {
  const forgetful: typeof srimaniReddy = {
    ...srimaniReddy,
    on: {
      ...srimaniReddy.on,
      REQUEST(my, site, from, message) {
        my.sent.fill(0);
        srimaniReddy.on.REQUEST(my, site, from, message);
      },
    },
  };
  const messagesOf = (algorithm: typeof srimaniReddy) =>
    check(algorithm, makeWorld(algorithm, { nodes: 3, k: 2 }), {
      entries: [0, 1, 1],
      reportMessages: true,
    });
  expect(messagesOf(srimaniReddy).verdict).toBe('proved');
  const most = (algorithm: typeof srimaniReddy) => messagesOf(algorithm).totalMessages!.at(-1)!;
  expect(most(forgetful)).toBeGreaterThan(most(srimaniReddy));
});
