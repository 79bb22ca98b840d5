/** The lock service with the engine `leased` under the checker: what is proved of it at small sizes. */
import { expect, test } from 'vitest';
import { checkService } from '../../src/check/service/check-service.ts';
import { LEASE } from '../../src/check/service/leasing.ts';
import { leased } from '../../src/engines/leased.ts';
import { LeasedSnapshot } from '../../src/engines/leased-snapshot.ts';

const GROUP = 'g';

test('two members with leases and a caller each keep all properties while nothing fails', () => {
  const report = checkService({
    algorithm: 'directory-token',
    hows: ['exclusive'],
    makeEngine: (id) => leased({ group: GROUP, leaseMs: LEASE, address: id }),
    leased: { snapshot: new LeasedSnapshot(GROUP) },
  });
  expect(report.violation).toBeNull();
  expect(report.verdict).toBe('proved');
  expect(report.states).toBe(2148);
  expect(report.properties.every(({ verdict }) => verdict === 'proved')).toBe(true);
});
