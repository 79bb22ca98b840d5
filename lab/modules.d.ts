declare module '*.css';
declare module '*?worker&url' {
  /** Where the built worker is. */
  const address: string;
  export default address;
}
declare module '*?raw' {
  const text: string;
  export default text;
}
declare module 'virtual:papers' {
  const papers: import('./model/papers.ts').PapersFile;
  export default papers;
}
/** The parser of sucrase, without its transformers: half of its size. */
declare module 'sucrase/dist/esm/parser/index.js' {
  export function parse(
    code: string,
    isJsx: boolean,
    isTypeScript: boolean,
    isFlow: boolean,
  ): {
    readonly tokens: readonly {
      readonly type: number;
      readonly start: number;
      readonly end: number;
      readonly isType: boolean;
    }[];
  };
}
declare module 'sucrase/dist/esm/parser/tokenizer/types.js' {
  type Name =
    | ('_public' | '_protected' | '_private' | '_readonly' | '_abstract' | '_override' | '_enum')
    | ('nonNullAssertion' | 'parenL' | 'comma' | 'arrow');
  export const TokenType: { readonly [N in Name]: number };
}
