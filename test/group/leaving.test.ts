/** How a lock's site leaves, where that is better done together with asking again. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Mode } from '../../src/core/algorithm.ts';
import type { Home } from '../../src/group/home.ts';
import { Leaving } from '../../src/group/leaving.ts';
import type { Request } from '../../src/group/request.ts';
import type { Entrance, Sites } from '../../src/group/sites.ts';

let diary: string[];
let waiting: Mode | null;
let ends: (() => void)[];
let leaving: Leaving;
const entrance = { phase: 'inside', mode: 'exclusive', turns: 1 } as Entrance;

beforeEach(() => {
  diary = [];
  ends = [];
  waiting = null;
  const sites = {
    entrances: [entrance],
    savesByAgain: () => true,
    release: () => {
      entrance.phase = 'idle';
      diary.push('out');
    },
    again: (_: Entrance, mode: Mode) => {
      entrance.phase = 'asking';
      diary.push(`again ${mode}`);
    },
  } as unknown as Sites;
  const home = {
    atEndOfTurn: (callback: () => void) => ends.push(callback),
    hurry(speak: () => void) {
      diary.push('hurry');
      speak();
    },
  } as unknown as Home;
  const next = () => (waiting === null ? null : ({ mode: waiting } as Request));
  leaving = new Leaving(sites, home, next, () => {});
});

/** Someone was inside, or so many, and all leave; whoever comes in the same turn wants it in that mode. */
function leave(comes: Mode | null, { turns = 1, mode = 'exclusive' as Mode } = {}): string[] {
  Object.assign(entrance, { phase: 'inside', turns, mode });
  diary = [];
  waiting = null;
  leaving.leave(entrance);
  waiting = comes;
  for (const end of ends.splice(0)) end();
  return diary;
}

describe('leaving', () => {
  test('waits for the end of the turn, until somebody comes', () => {
    expect(leave(null)).toEqual(['out']);
    expect(leave('shared')).toEqual(['again shared']);
    expect(leave('exclusive')).toEqual(['hurry', 'again exclusive']);
  });
  test('expects somebody as long as it came in for somebody', () => {
    leave('exclusive');
    for (let i = 0; i < 3; i++) expect(leave(null)).toEqual(['hurry', 'again exclusive']);
    expect(leave(null, { turns: 0 })).toEqual(['out']);
    expect(leave(null)).toEqual(['out']);
  });
  test('expects nobody after a reader: it might be a writer', () => {
    leave('exclusive');
    expect(leave(null, { mode: 'shared' })).toEqual(['out']);
  });
  test('asks for who waits already', () => {
    Object.assign(entrance, { phase: 'inside', turns: 1, mode: 'exclusive' });
    waiting = 'shared';
    leaving.leave(entrance);
    expect(diary).toEqual(['hurry', 'again shared']);
  });
  test('does nothing more when its view is over', () => {
    Object.assign(entrance, { phase: 'inside', turns: 1, mode: 'exclusive' });
    leaving.leave(entrance);
    leaving.isOver = true;
    for (const end of ends) end();
    expect(diary).toEqual([]);
  });
});
