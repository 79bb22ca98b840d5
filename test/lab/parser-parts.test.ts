/** The parser of the editor: what the build makes of it is what sucrase has. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keywordTree } from '../../lab/parser-parts.ts';

test('the tree of keywords that the page builds is the tree of sucrase', () => {
  const folder = 'node_modules/sucrase/dist/esm/parser/tokenizer';
  const read = (name: string) => readFileSync(`${folder}/${name}.js`, 'utf8');
  const source = read('readWordTree');
  const enums = ['keywords', 'types'].map((name) =>
    read(name)
      .replace(/^import .*$/gm, '')
      .replace(/^export default /gm, '')
      .replace(/^export /gm, ''),
  );
  const treeOf = (module: string): number[] => {
    const own = module.replace(/^import .*$/gm, '').replace(/^export /gm, '');
    const names = 'const tt = TokenType;';
    return [...new Function(`${enums.join('\n')}\n${names}\n${own}\nreturn READ_WORD_TREE;`)()];
  };
  const tree = treeOf(keywordTree(source));
  expect(tree.length).toBeGreaterThan(5_000);
  expect(tree).toEqual(treeOf(source));
});
