import { GoError } from '../failure/go-error.ts';

/** The words of a line by the shell's rules for quotes, backslashes and comments; nothing is expanded. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  let escaped = false;
  const end = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const char of line) {
    if (escaped) {
      word += char;
      escaped = false;
    } else if (char === '\\' && quote !== "'") escaped = true;
    else if (quote === '' && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = '';
    else if (char === '#' && quote === '') break;
    else if (quote === '' && /\s/.test(char)) end();
    else word += char;
  }
  if (quote !== '') throw new GoError('unclosed quote in string');
  end();
  return words;
}
