/** Text to HTML. Every text of a client or a peer passes through `escapeMarkup`. */

/** The name of a lock: as it is, or as JSON if it has characters that cannot be seen. */
export function readable(name: string): string {
  const isPlain = /^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]+(?<! )$/u.test(name);
  return isPlain ? name : JSON.stringify(name);
}

/** 75000 as "1:15", 3700 as "3.7 s": short, for columns. */
export function short(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

export const count = (n: number): string => n.toLocaleString('en-US');
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** The first cell of a row is its name. All cells are HTML. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = header.map((name) => `<th scope="col">${name}</th>`);
  const body = rows.map(([name, ...cells]) => {
    const rest = cells.map((cell) => `<td>${cell}</td>`);
    return `<tr><th scope="row">${name}</th>${rest.join('')}</tr>`;
  });
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}
