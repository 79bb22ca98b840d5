/** What a reader sees where a property is violated. */
const WRONG: { readonly [property: string]: string } = {
  'mutual-exclusion': 'two sites inside',
  'deadlock-freedom': 'deadlock',
  'starvation-freedom': 'a site waits for ever',
};

export const wrongOf = (property: string): string => WRONG[property] ?? property;
