import { UsageError } from '../core/errors.ts';

/** A package that only users of one engine install. */
export async function optionalPackage<T>(
  name: string,
  load: () => Promise<T>,
  /** All packages that the engine needs. */
  all = name,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(`this engine needs the package ${name}: npm install ${all}`);
  }
}
