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

/** So many pixels for one of the page: a picture as wide as a page of a book then has 300 an inch. */
const TIMES = 3;

/** Offers a drawing as an image, for slides and for print. */
export async function saveAsPng(name: string, svg: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = TIMES * image.naturalWidth;
  canvas.height = TIMES * image.naturalHeight;
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob !== null && saveBlob(name, blob));
}
