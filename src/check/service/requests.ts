import type { ServiceEvent } from './processes.ts';
import type { ServiceSettings } from './space.ts';

/** What an idle caller may ask for. */
export function requestsOf(
  { hows, permits }: Pick<ServiceSettings, 'hows' | 'permits'>,
  canShare: boolean,
  caller: number,
): ServiceEvent[] {
  const exclusive = { kind: 'request', caller, mode: 'exclusive' } as const;
  const shared = { ...exclusive, mode: 'shared' } as const;
  return hows.flatMap((how): ServiceEvent[] => {
    if (how === 'exclusive') return [{ ...exclusive, how: 'wait' }];
    if (how === 'shared') return canShare ? [{ ...shared, how: 'wait' }] : [];
    if (how === 'steal') return permits > 0 ? [] : [{ ...exclusive, how: 'steal' }];
    const tries: ServiceEvent[] = [{ ...exclusive, how: 'try' }];
    return canShare ? [...tries, { ...shared, how: 'try' }] : tries;
  });
}
