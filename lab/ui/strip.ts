/**
 * TypeScript without its types: what a browser runs. Blanks take their place, so that an error names the line that the
 * reader sees. The parser is loaded when it is first needed.
 */
export async function stripped(code: string): Promise<string> {
  const [{ parse }, { TokenType: types }] = await Promise.all([
    import('sucrase/dist/esm/parser/index.js'),
    import('sucrase/dist/esm/parser/tokenizer/types.js'),
  ]);
  const words = [
    ...[types._public, types._protected, types._private, types._readonly],
    ...[types._abstract, types._override, types.nonNullAssertion],
  ];
  const { tokens } = read(() => parse(code, false, true, false));
  let text = '';
  let done = 0;
  for (let i = 0; i < tokens.length; i++) {
    const { type, start, isType } = tokens[i]!;
    if (!isType && type === types._enum) throw wrong('an enum is more than a type: use constants');
    if (!isType && !words.includes(type)) continue;
    const before = tokens[i - 1]?.type;
    if (!isType && (before === types.parenL || before === types.comma)) {
      throw wrong('a parameter that is also a field is more than a type: assign the field');
    }
    while (isType && tokens[i + 1]?.isType) i++;
    const { end } = tokens[i]!;
    // No line may end between the parameters of a function and its arrow.
    const blanked = tokens[i + 1]?.type === types.arrow ? /./gs : /./g;
    text += code.slice(done, start) + erased(code.slice(start, end), blanked);
    done = end;
  }
  return text + code.slice(done);
}

/** A declaration leaves a semicolon: else the lines before and after it might be one statement. */
const erased = (text: string, blanked: RegExp): string =>
  (/^(type|interface|declare|namespace|import|export)\b/.test(text) ? ';' : ' ') +
  text.slice(1).replace(blanked, ' ');

function read<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

const wrong = (why: string): Error => new Error(`the code cannot be read: ${why}`);
