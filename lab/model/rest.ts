/** The page is at rest when it has not been called for this long. */
const REST_MS = 150;

/**
 * A function that does something once it has not been called for a moment. While the page moves it is called in every
 * frame, so that a call must cost nothing: it takes the time, and one timer looks at it now and then.
 */
export function onceAtRest(act: () => void): () => void {
  let lastCall = 0;
  let isWaiting = false;
  const look = () => {
    const left = lastCall + REST_MS - performance.now();
    if (left > 0) {
      setTimeout(look, left);
      return;
    }
    isWaiting = false;
    act();
  };
  return () => {
    lastCall = performance.now();
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(look, REST_MS);
  };
}
