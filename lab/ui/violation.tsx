/** What went wrong, in words: of a run, of a counterexample, or of a paper. */

/** What a reader sees where a property is violated. */
const WRONG: { readonly [property: string]: string } = {
  'mutual-exclusion': 'two sites inside',
  'deadlock-freedom': 'deadlock',
  'starvation-freedom': 'a site waits for ever',
};

export const wrongOf = (property: string): string => WRONG[property] ?? property;

export function Violation({ property, why }: { readonly property: string; readonly why: string }) {
  const [first = '', ...rest] = wrongOf(property);
  return (
    <strong class="violation">
      {first.toUpperCase() + rest.join('')}: {why}.
    </strong>
  );
}
