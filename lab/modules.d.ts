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
  const papers: import('./model/papers.ts').PapersData;
  export default papers;
}
