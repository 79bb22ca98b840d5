/** Waits for what is bound to happen; the test's own time limit ends it if it does not. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
