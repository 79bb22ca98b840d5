/** What the stories of the lab say is so. */
import { describe, expect, test } from 'vitest';
import { exerciseOf } from '../../lab/engine/exercises.ts';
import { load, moment } from '../../lab/engine/runs.ts';
import { checkOne } from '../../lab/engine/trials.ts';
import { FIRST, type RunSpec } from '../../lab/model/spec.ts';
import { EXERCISES } from '../../lab/stories/exercises.ts';
import { STORIES } from '../../lab/stories/stories.ts';
import { check, makeWorld } from '../../src/check/index.ts';

const storyOf = (id: string) => STORIES.find((story) => story.id === id)!;
const specOf = (id: string): RunSpec => ({ ...FIRST, ...storyOf(id).run });
const searchOf = (id: string) => ({
  ...{ printed: '', links: '', topology: '', options: [], crashes: 0, losses: 0 },
  ...{ nodes: 3, entries: [1], maxStates: 3_000_000, algorithm: '' },
  ...storyOf(id).search,
});
const entriesOf = ({ rows }: ReturnType<typeof load>) =>
  [...rows.site].filter((_, row) => rows.enters[row] === 1);

describe('every story', () => {
  test.each(STORIES.map((story) => [story.id, story] as const))(
    '%s',
    (_, { answers, beats, run, search, tells = [] }) => {
      expect(answers.filter(({ isRight }) => isRight)).toHaveLength(1);
      expect((run === undefined) !== (search === undefined)).toBe(true);
      expect(beats.length > 0).toBe(run !== undefined);
      // A search needs an introduction, which a run has in its sentences.
      expect(tells.length > 0).toBe(search !== undefined);
      for (const { because } of answers) expect(because.length).toBeGreaterThan(30);
    },
  );
});

test('asking everybody: twelve messages, in the order 1, 2, 0', () => {
  const run = load(specOf('permission'));
  expect(run.figures.messages).toBe(12);
  expect(entriesOf(run)).toEqual([1, 2, 0]);
});

test('Lodha and Kshemkalyani: eight messages where Ricart and Agrawala take twelve', () => {
  expect(load(specOf('fewer')).figures.messages).toBe(8);
  expect(load({ ...specOf('fewer'), algorithm: 'ricart-agrawala' }).figures.messages).toBe(12);
});

test('a tree: four messages for the first entry, eight for the second', () => {
  const { rows } = load(specOf('tree'));
  const second = rows.event.indexOf(0, 1);
  expect([...rows.sentAt].filter((step) => step < second)).toHaveLength(4);
  expect(rows.copies).toBe(12);
});

test('a tree under load: less than four messages for an entry', () => {
  const { messagesPerEntry } = load(specOf('busy-tree')).figures;
  expect(messagesPerEntry).toBeGreaterThan(3);
  expect(messagesPerEntry).toBeLessThan(4);
});

test('pointers: in the end site 0 points at 4', () => {
  const spec = specOf('pointers');
  const { states } = moment({ spec, at: load(spec).rows.steps });
  expect(states[0]).toMatchObject({ last: 4 });
});

test('the ring: one message for each entry when all want in', () => {
  const busy = { ...specOf('ring'), workload: 'saturated', entries: 500 };
  expect(load(busy).figures.messagesPerEntry).toBeCloseTo(1, 1);
});

test('the ring, saturated: one message for each entry, and a wait of 65 for the next turn', () => {
  const { figures } = load(specOf('busy-ring'));
  expect(figures.messages / figures.entries).toBeCloseTo(1, 1);
  expect(figures.waitingMax).toBe(65);
});

test('edges that turn: four messages, and site 1 has only 2 in its queue while 0 is inside', () => {
  const spec = specOf('turning');
  const run = load(spec);
  expect(run.figures.messages).toBe(4);
  expect(entriesOf(run)).toEqual([0, 2]);
  const exit = run.rows.event.indexOf(8);
  const { states, phases } = moment({ spec, at: exit });
  expect(phases).toEqual(['inside', 'idle', 'waiting']);
  expect(states[1]).toMatchObject({ queue: [2] });
});

test('two FLUSHes: the order and the messages of figure 7', () => {
  const run = load(specOf('two-flushes'));
  const of = (type: string) =>
    [...run.rows.type].filter((number) => run.types[number] === type).length;
  expect(entriesOf(run)).toEqual([0, 1, 0, 2]);
  expect([of('REQUEST'), of('REPLY'), of('FLUSH')]).toEqual([8, 2, 3]);
  const flushed = [...run.rows.to].filter((_, i) => run.types[run.rows.type[i]!] === 'FLUSH');
  expect(flushed).toEqual([1, 2, 2]);
});

test('a finished request at the head of a queue: a deadlock in thirteen steps, as printed only', () => {
  const search = searchOf('finished');
  const { verdict, depth, violation } = checkOne(search, () => undefined);
  expect({ verdict, depth }).toEqual({ verdict: 'violated', depth: 13 });
  expect(violation?.property).toBe('deadlock-freedom');
  expect(checkOne({ ...search, printed: '' }, () => undefined).verdict).toBe('proved');
});

test('messages that collect votes: about eleven for an entry, where Ricart and Agrawala take eighteen', () => {
  const { figures } = load(specOf('roaming'));
  expect(figures.messagesPerEntry).toBeCloseTo(10.9, 1);
  expect(
    load({ ...specOf('roaming'), algorithm: 'ricart-agrawala' }).figures.messagesPerEntry,
  ).toBe(18);
});

test('advice that comes too early: two inside in thirteen steps, and none as corrected', () => {
  const search = searchOf('advice');
  const { depth, violation, run } = checkOne(search, () => undefined);
  expect([violation?.property, depth]).toEqual(['mutual-exclusion', 13]);
  const types = [...run!.rows.type].map((type) => run!.types[type]);
  expect(types).toContain('ADVISE');
  expect(checkOne({ ...search, printed: '' }, () => undefined).verdict).toBe('proved');
});

test('a lost token: all three wait for ever, and every other message has arrived', () => {
  const { violation, rows } = load(specOf('lost'));
  expect(violation?.property).toBe('deadlock-freedom');
  expect(violation?.why).toContain('the token was lost');
  expect([...rows.fate].filter((fate) => fate === 2)).toHaveLength(1);
  expect([...rows.fate].filter((fate) => fate === 0)).toHaveLength(0);
});

test('Lamport: two inside after four steps, unless links keep the order', () => {
  const quiet = () => undefined;
  expect(checkOne(searchOf('order'), quiet)).toMatchObject({ verdict: 'violated', depth: 4 });
  expect(checkOne({ ...searchOf('order'), links: 'fifo' }, quiet).verdict).toBe('proved');
});

test('Maekawa as published: a deadlock in thirteen steps, every message delivered', () => {
  const { verdict, depth, run } = checkOne(searchOf('deadlock'), () => undefined);
  expect({ verdict, depth }).toEqual({ verdict: 'violated', depth: 13 });
  expect([...run!.rows.fate].every((fate) => fate === 1)).toBe(true);
});

test('too few numbers: two inside in ten steps, and none once a site counts its own', () => {
  const search = searchOf('numbers');
  expect(checkOne(search, () => undefined)).toMatchObject({ verdict: 'violated', depth: 10 });
  expect(checkOne({ ...search, printed: '' }, () => undefined).verdict).toBe('proved');
});

test.each(EXERCISES.map(({ id }) => id))(
  'the exercise %s brings two sites inside, in few steps',
  (id) => {
    const { algorithm, nodes } = exerciseOf(id);
    const { violation, depth } = check(algorithm, makeWorld(algorithm, { nodes }), { entries: 1 });
    expect(violation?.property).toBe('mutual-exclusion');
    expect(depth).toBeLessThan(10);
  },
);
