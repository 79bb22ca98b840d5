/** Offers a text as a file. */
export const save = (name: string, type: string, text: string): void =>
  saveBlob(name, new Blob([text], { type }));

function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Offers a drawing as an image of twice its size, for slides. */
export async function saveAsPng(name: string, svg: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * image.naturalWidth;
  canvas.height = 2 * image.naturalHeight;
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob !== null && saveBlob(name, blob));
}

type Drawn = HTMLCanvasElement & { readonly asSvg: () => string };

/** Offers the first diagram of the page as a picture. */
export function saveDiagram(format: 'svg' | 'png'): void {
  const canvas = document.querySelector<Drawn>('canvas.diagram');
  if (canvas === null) return;
  if (format === 'svg') save('latchkey-diagram.svg', 'image/svg+xml', canvas.asSvg());
  else canvas.toBlob((blob) => blob !== null && saveBlob('latchkey-diagram.png', blob));
}
