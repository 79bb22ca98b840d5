/** Numbers as people read them, the same on every machine. */

/** 12345.678 as "12,346", 123.456 as "123.5", 2.71828 as "2.72", 0.00012345 as "0.000123". */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  const size = Math.abs(value);
  let digits = 2;
  if (size >= 1000) digits = 0;
  else if (size >= 100) digits = 1;
  else if (size < 1) digits = 3;
  const rounded = size < 0.01 ? value.toPrecision(3) : value.toFixed(digits);
  const [whole = '', fraction = ''] = Number(rounded).toString().split('.');
  const grouped = whole.replace('-', '−').replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === '' ? grouped : `${grouped}.${fraction}`;
}

export const shownAll = (values: readonly number[]): string => values.map(shown).join('; ');

/** "1 site", "2 sites". */
export const counted = (count: number, noun: string): string =>
  `${shown(count)} ${noun}${count === 1 ? '' : 's'}`;
