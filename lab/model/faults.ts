/** Faults by time, which several algorithms can share: the entries of `simulate --faults`, in words. */

export type Fault = { readonly [field: string]: unknown };

/** What can go wrong: which fields a form asks for, and the entry that they make. */
export const KINDS: readonly Kind[] = [
  {
    name: 'crash',
    says: 'a site crashes',
    asks: ['at', 'site'],
    make: ({ at, site }) => ({ at, crash: site }),
  },
  {
    name: 'restart',
    says: 'a site is back',
    asks: ['at', 'site'],
    make: ({ at, site }) => ({ at, restart: site }),
  },
  {
    name: 'cut',
    says: 'a link is cut',
    asks: ['at', 'site', 'other'],
    make: ({ at, site, other }) => ({ at, cut: [site, other] }),
  },
  {
    name: 'heal',
    says: 'all links heal',
    asks: ['at'],
    make: ({ at }) => ({ at, heal: true }),
  },
  {
    name: 'lose',
    says: 'messages are lost',
    asks: ['at', 'until', 'percent'],
    make: ({ at, until, percent }) => ({ from: at, until, lose: percent / 100 }),
  },
  {
    name: 'duplicate',
    says: 'messages arrive twice',
    asks: ['at', 'until', 'percent'],
    make: ({ at, until, percent }) => ({ from: at, until, duplicate: percent / 100 }),
  },
];

export const FIELDS = ['at', 'site', 'other', 'until', 'percent'] as const;
export type Field = (typeof FIELDS)[number];
export type Values = { readonly [F in Field]: number };

export interface Kind {
  readonly name: string;
  readonly says: string;
  readonly asks: readonly Field[];
  readonly make: (values: Values) => Fault;
}

export function inWords(fault: Fault): string {
  const { at, from = 0, until = 'the end', crash, restart, cut, heal, lose, duplicate } = fault;
  const share = (part: unknown) => `${Number((100 * Number(part)).toPrecision(3))} %`;
  if (crash !== undefined) return `at ${at}, ${crash} crashes`;
  if (restart !== undefined) return `at ${at}, ${restart} is back`;
  if (cut !== undefined) return `at ${at}, the link ${(cut as unknown[]).join('–')} is cut`;
  if (heal !== undefined) {
    return `at ${at}, ${heal === true ? 'all links heal' : `the link ${(heal as unknown[]).join('–')} heals`}`;
  }
  if (lose !== undefined) return `from ${from} to ${until}, ${share(lose)} of messages are lost`;
  if (duplicate !== undefined) {
    return `from ${from} to ${until}, ${share(duplicate)} of messages arrive twice`;
  }
  return JSON.stringify(fault);
}
