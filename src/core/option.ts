import { didYouMean, UsageError } from './errors.ts';

/**
 * The variants of an algorithm, declared as data: the purpose of each and the values it takes. The
 * types of `site.options`, the errors for wrong values, the catalogue and the help derive from it.
 */
export type OptionDeclarations = { readonly [name: string]: OptionDeclaration };
export type OptionDeclaration = Flag | Whole | Choice;

export interface Flag {
  readonly kind: 'flag';
  readonly about: string;
}
export interface Whole {
  readonly kind: 'whole';
  readonly about: string;
  readonly min: number;
  readonly max: number;
}
export interface Choice<V extends string = string> {
  readonly kind: 'choice';
  readonly about: string;
  readonly values: readonly V[];
}

/** On or off. */
export const flag = (about: string): Flag => ({ kind: 'flag', about });
/** A whole number, absent unless given. */
export const whole = (about: string, min: number, max = 1_000_000): Whole => ({
  kind: 'whole',
  about,
  min,
  max,
});
/** One of a few words; `--option NAME` alone means the first. Absent unless given. */
export const choice = <const V extends string>(
  about: string,
  values: readonly [V, ...V[]],
): Choice<V> => ({ kind: 'choice', about, values });

export type OptionValues<O extends OptionDeclarations> = {
  readonly [N in keyof O]: O[N] extends Flag
    ? boolean
    : O[N] extends Whole
      ? number | undefined
      : O[N] extends Choice<infer V>
        ? V | undefined
        : never;
};
export type AnyOptions = { readonly [name: string]: boolean | number | string | undefined };

/** Reads `NAME` or `NAME=VALUE` settings against the declarations of one algorithm. */
export function parseOptions(
  owner: string,
  declared: OptionDeclarations,
  settings: readonly string[],
): AnyOptions {
  const values: Record<string, boolean | number | string | undefined> = {};
  for (const [name, option] of Object.entries(declared)) {
    values[name] = option.kind === 'flag' ? false : undefined;
  }
  for (const setting of settings) {
    const [, name, value] = /^([^=]*)(?:=(.*))?$/s.exec(setting)!;
    if (!Object.hasOwn(declared, name!)) {
      const names = Object.keys(declared);
      const has = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
      throw new UsageError(`${owner} has no option "${name}": ${has}${didYouMean(name!, names)}`);
    }
    values[name!] = parseValue(owner, name!, declared[name!]!, value);
  }
  return values;
}

function parseValue(
  owner: string,
  name: string,
  option: OptionDeclaration,
  value: string | undefined,
): boolean | number | string {
  const refuse = (rule: string): never => {
    const got = value === undefined ? 'nothing' : `"${value}"`;
    throw new UsageError(`option ${name} of ${owner} takes ${rule}, got ${got}`);
  };
  switch (option.kind) {
    case 'flag':
      return value === undefined ? true : refuse(`no value: write --option ${name}`);
    case 'whole': {
      const rule = `a whole number from ${option.min} to ${option.max}, as in ${name}=${option.min}`;
      if (value === undefined || !/^\d+$/.test(value)) return refuse(rule);
      const number = Number(value);
      return option.min <= number && number <= option.max ? number : refuse(rule);
    }
    case 'choice': {
      if (value === undefined) return option.values[0]!;
      if (option.values.includes(value)) return value;
      return refuse(`one of ${option.values.join(', ')}${didYouMean(value, option.values)}`);
    }
  }
}
