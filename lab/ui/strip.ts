/** TypeScript without its types: what a browser runs. The parser is loaded when it is first needed. */
export async function stripped(code: string): Promise<string> {
  const { transform } = await import('sucrase');
  try {
    return transform(code, { transforms: ['typescript'], disableESTransforms: true }).code;
  } catch (error) {
    throw new Error(`the code cannot be read: ${(error as Error).message}`);
  }
}
