/** What went wrong, in words: of a run, of a counterexample, or of a paper. */
import { wrongOf } from '../model/wrong.ts';

export function Violation({ property, why }: { readonly property: string; readonly why: string }) {
  const [first = '', ...rest] = wrongOf(property);
  return (
    <strong class="violation">
      {first.toUpperCase() + rest.join('')}: {why}.
    </strong>
  );
}
