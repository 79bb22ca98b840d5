/** Whether keys belong to the element that has the focus: a field that is written in, or a list that is chosen from. */
export function isField(target: EventTarget | null): boolean {
  const { tagName, type } = target as HTMLInputElement;
  return /^(SELECT|TEXTAREA)$/.test(tagName) || (tagName === 'INPUT' && type !== 'checkbox');
}
