/** What the colours of a diagram mean. */
import type { Picture } from '../diagram/picture.ts';

export function Keys({ picture: { loaded, isUsed, isAnyDown, isAnyLost } }: { picture: Picture }) {
  const { types, carriers } = loaded;
  return (
    <>
      <span class="key inside">inside</span>
      <span class="key waits">waits</span>
      {isAnyDown && <span class="key down">crashed</span>}
      {isAnyLost && <span class="key lost">lost</span>}
      {(loaded.gaps?.length ?? 0) > 0 && <span class="key gap">only counted</span>}
      {types.map((name, type) =>
        isUsed[type] ? (
          <span key={name} class={carriers[type] ? 'key token' : `key type-${type % 7}`}>
            {name}
          </span>
        ) : null,
      )}
    </>
  );
}
