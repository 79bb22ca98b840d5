/**
 * The caller asked for something impossible: an unknown name, a value out of range. The message is
 * one line that names the value, the rule and the way out.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Makes an error without a stack. If a timer or a message causes the error, the stack names no line of the caller.
 * To collect it takes longer than everything else that a refused request costs.
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const limit = Reflect.get(Error, 'stackTraceLimit');
  // Not by assignment, which throws where a program has frozen `Error`.
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return make();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

/** ` (did you mean "raymond"?)` when a known name is close to the typed one, else nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  let best: string | undefined;
  // A typing error changes at most a third of the characters.
  let least = Math.max(2, Math.ceil(typed.length / 3));
  for (const name of known) {
    // A prefix counts as close, however many characters are missing: "ricart" for
    // "ricart-agrawala".
    const begins = typed.length >= 3 && name.startsWith(typed);
    const distance = begins ? 1 : editDistance(typed, name);
    if (distance < least || (distance === least && best === undefined)) {
      least = distance;
      best = name;
    }
  }
  return best === undefined ? '' : ` (did you mean "${best}"?)`;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
