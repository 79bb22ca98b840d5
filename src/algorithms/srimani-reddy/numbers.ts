/** Srimani–Reddy: the numbers of requests, which with `bounded` go round. */
type Bounds = { readonly options: { readonly bounded: number | undefined } };

const modulus = ({ options: { bounded } }: Bounds): number => 5 * bounded!;

/** The number that so many steps lead to. */
export function step(n: number, by: 1 | -1, site: Bounds): number {
  return site.options.bounded === undefined ? n + by : (n + by + modulus(site)) % modulus(site);
}

export function isLater(a: number, b: number, site: Bounds): boolean {
  if (site.options.bounded === undefined) return a > b;
  const lead = (a - b + modulus(site)) % modulus(site);
  return 0 < lead && lead < modulus(site) / 2;
}

export function latest(a: number, b: number, site: Bounds): number {
  return isLater(a, b, site) ? a : b;
}

/** In which round of L requests a number is, modulo 5. */
export function roundOf(n: number, { options: { bounded } }: Bounds): number {
  return Math.floor(n / bounded!);
}

/** Whether this number ends a round. */
export function isLast(n: number, { options: { bounded } }: Bounds): boolean {
  return bounded !== undefined && n % bounded === 0;
}
