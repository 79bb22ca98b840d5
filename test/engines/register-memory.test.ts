/** The register in memory, which tests break on purpose: whole, it keeps the contract; broken, it does as told. */
import { describe, expect, test } from 'vitest';
import { MemoryRegister, MemoryStore } from '../support/register-memory.ts';
import { registerSuite } from '../support/register-suite.ts';

const store = new MemoryStore();
const opened: MemoryRegister[] = [];
registerSuite('in memory', () => ({
  open: () => {
    const register = new MemoryRegister(store, 50);
    opened.push(register);
    return register;
  },
  freeze: () => {
    for (const register of opened) register.isFrozen = true;
  },
  thaw: () => {
    for (const register of opened) register.isFrozen = false;
  },
}));

describe('faults of the register in memory', () => {
  const make = () => new MemoryRegister(new MemoryStore(), 10);

  test('a lost call is not carried out, a lost answer is', async () => {
    const register = make();
    register.fault = () => ({ lost: 'call' });
    expect(await register.compareAndSet('k', null, 'x')).toEqual({ outcome: 'unknown' });
    register.fault = () => ({});
    expect((await register.read('k')).records).toEqual([]);
    register.fault = () => ({ lost: 'answer' });
    expect(await register.compareAndSet('k', null, 'x')).toEqual({ outcome: 'unknown' });
    await expect(register.read('k')).rejects.toThrow('no answer for 10 ms');
    register.fault = () => ({});
    expect((await register.read('k')).records).toHaveLength(1);
  });

  test('a stale read shows an earlier value', async () => {
    const register = make();
    const { revision } = await register.compareAndSet('k', null, 'one');
    await register.compareAndSet('k', revision!, 'two');
    register.fault = (method) => (method === 'read' ? { stale: 1 } : {});
    expect((await register.read('k')).records[0]!.value).toBe('one');
  });

  test('a store that rolls back has another identity, and never uses a revision twice', async () => {
    const data = new MemoryStore();
    const register = new MemoryRegister(data);
    const one = await register.compareAndSet('k', null, 'one');
    const two = await register.compareAndSet('k', one.revision!, 'two');
    data.rollBack(1);
    const after = await register.read('k');
    expect(after.records[0]!.value).toBe('one');
    expect(after.identity).not.toBe(one.identity);
    const second = await register.compareAndSet('k', one.revision!, 'other');
    expect(second.outcome).toBe('done');
    expect(second.revision).not.toBe(two.revision);
  });
});
