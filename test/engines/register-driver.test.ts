/** The driver between a pure engine and a register that may never answer. */
import { describe, expect, test } from 'vitest';
import { RegisterDriver } from '../../src/engines/register-driver.ts';
import type { RegisterAnswer } from '../../src/group/register.ts';
import { MemoryRegister, MemoryStore } from '../support/register-memory.ts';
import { until } from '../support/register-suite.ts';

function make() {
  const register = new MemoryRegister(new MemoryStore(), 10_000);
  const answers: [number, RegisterAnswer][] = [];
  const log: string[] = [];
  const seen = { hints: 0 };
  const driver = new RegisterDriver({
    ...{ register, timeoutMs: 50, watch: 'g/view' },
    step: (event) => {
      if (event.type === 'hint') seen.hints++;
      else answers.push([event.call, event.answer]);
    },
    log: (line) => log.push(line),
  });
  return { register, driver, answers, log, seen };
}

const set = (key: string) => ({ type: 'compareAndSet', key, revision: null, value: 'x' }) as const;

describe('the driver', () => {
  test('answers each call with what the register said', async () => {
    const { driver, answers } = make();
    driver.call(1, set('g/a'));
    await until(() => answers.length === 1);
    driver.call(2, set('g/a'));
    driver.call(3, { type: 'read', keys: 'g/' });
    driver.call(4, { type: 'identity' });
    await driver.idle(1000);
    expect(answers.map(([call]) => call).sort()).toEqual([1, 2, 3, 4]);
    const byCall = Object.fromEntries(answers);
    expect(byCall[1]).toMatchObject({ type: 'set', outcome: 'done' });
    expect(byCall[2]).toMatchObject({ type: 'set', outcome: 'conflict' });
    expect(byCall[3]).toMatchObject({ type: 'records', records: [{ key: 'g/a', value: 'x' }] });
    expect(byCall[4]).toEqual({ type: 'identity', identity: 'store 1' });
    await driver.close();
  });

  test('gives up a call in time: a write as unknown, a read as failed', async () => {
    const { register, driver, answers } = make();
    register.isFrozen = true;
    driver.call(1, set('g/a'));
    driver.call(2, { type: 'read', keys: 'g/' });
    await driver.idle(1000);
    expect(Object.fromEntries(answers)).toEqual({
      1: { type: 'set', outcome: 'unknown' },
      2: { type: 'failed', error: 'none in 50 ms' },
    });
    await driver.close();
  });

  test('reports a register that refuses, once, and answers that nothing was written', async () => {
    const { register, driver, answers, log } = make();
    register.compareAndSet = () => Promise.reject(new Error('permission denied'));
    driver.call(1, set('g/a'));
    driver.call(2, set('g/b'));
    await driver.idle(1000);
    expect(answers.map(([, answer]) => answer)).toEqual(
      Array(2).fill({ type: 'failed', error: 'permission denied' }),
    );
    expect(log).toEqual(['the store failed: permission denied']);
    await driver.close();
  });

  test('reports a register that refuses to write once, though it is read in between, and again after it has written', async () => {
    const { register, driver, log } = make();
    const write = register.compareAndSet.bind(register);
    const turn = async (isRefused: boolean) => {
      register.compareAndSet = isRefused ? () => Promise.reject(new Error('it is full')) : write;
      driver.call(1, { type: 'read', keys: 'g/' });
      await driver.idle(1000);
      driver.call(2, set('g/a'));
      await driver.idle(1000);
    };
    for (let i = 0; i < 3; i++) await turn(true);
    expect(log).toEqual(['the store failed: it is full']);
    await turn(false);
    await turn(true);
    expect(log).toEqual(Array(2).fill('the store failed: it is full'));
    await driver.close();
  });

  test('passes hints on, and nothing after it was closed', async () => {
    const { register, driver, answers, seen } = make();
    driver.call(0, { type: 'read', keys: 'g/' });
    await driver.idle(1000);
    answers.length = 0;
    await register.compareAndSet('g/view', null, 'x');
    await until(() => seen.hints === 1);
    driver.call(1, { type: 'read', keys: 'g/' });
    await driver.close();
    driver.call(2, { type: 'read', keys: 'g/' });
    await driver.idle(100);
    expect(answers).toEqual([]);
  });
});
