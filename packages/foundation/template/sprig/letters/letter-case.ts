import { limitList } from '../../bounds/active-budget.ts';
import { lowerRune, titleRune, upperRune } from './rune-case.ts';

const isUpper = (rune: string): boolean => /^\p{Lu}$/u.test(rune);
const isConnector = (rune: string): boolean => rune === '-' || rune === '_' || /^\s$/u.test(rune);
const isPunctuation = (rune: string): boolean => /^\p{P}$/u.test(rune);
const isNumber = (rune: string): boolean => /^\p{N}$/u.test(rune);
const isAlphabet = (rune: string): boolean => /^\p{L}$/u.test(rune);

/** goutils.SwapCase: the first letter of a word becomes that of a title. */
export function swapCase(text: string): string {
  limitList(text.length);
  let before = ' ';
  return Array.from(text, (rune) => {
    const isFirst = /^\s$/u.test(before);
    before = rune;
    if (isUpper(rune) || /^\p{Lt}$/u.test(rune)) return lowerRune(rune);
    return isFirst ? titleRune(rune) : upperRune(rune);
  }).join('');
}

/** xstrings.ToPascalCase. */
export function camelCase(text: string): string {
  limitList(text.length);
  const runes = Array.from(text);
  if (runes.length === 0) return '';
  let out = '';
  let at = 0;
  let current = '';
  let upperRun = false;
  while (at < runes.length) {
    current = runes[at++] as string;
    if (!isConnector(current)) {
      upperRun = isUpper(current);
      current = upperRune(current);
      break;
    }
    out += current;
  }
  if (at >= runes.length) return out + current;
  while (at < runes.length) {
    const before = current;
    current = runes[at++] as string;
    if (isConnector(current) && isConnector(before)) {
      out += before;
      continue;
    }
    if (isConnector(before)) {
      upperRun = isUpper(current);
      current = upperRune(current);
    } else {
      if (upperRun) {
        if (isUpper(current)) current = lowerRune(current);
        else upperRun = false;
      }
      out += before;
    }
  }
  return out + current;
}

type WordType = 'none' | 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly type: WordType;
  readonly text: readonly string[];
}

/** xstrings.ToSnakeCase and ToKebabCase. */
export function lowerWords(text: string, connector: string): string {
  limitList(text.length);
  const words = wordsOf(Array.from(text));
  let out = '';
  let i = 0;
  const at = (index: number): Word => words[index] ?? { type: 'none', text: [] };
  const lower = ({ type, text: runes }: Word): string => {
    if (type !== 'upper' && type !== 'connector') return runes.join('');
    return runes.map((rune) => (isConnector(rune) ? connector : isUpper(rune) ? lowerRune(rune) : rune)).join('');
  };
  const joinable = (type: WordType): boolean => type === 'alphabet' || type === 'number';
  const separates = (type: WordType): boolean => type !== 'none' && type !== 'punctuation' && type !== 'connector';
  let word = at(i++);
  while (i < words.length) {
    if (word.type !== 'connector') out += lower(word);
    const before = word;
    word = at(i++);
    if (before.type === 'number') {
      while (joinable(word.type)) {
        out += lower(word);
        word = at(i++);
      }
      if (separates(word.type)) out += connector;
    } else if (before.type === 'connector') out += lower(before);
    else if (before.type !== 'punctuation') {
      if (word.type !== 'number') {
        if (word.type !== 'connector' && word.type !== 'punctuation') out += connector;
        continue;
      }
      if (i >= words.length) continue;
      const number = word;
      word = at(i++);
      if (word.type !== 'alphabet') {
        out += lower(number);
        if (word.type !== 'connector' && word.type !== 'punctuation') out += connector;
        continue;
      }
      out += connector + lower(number);
      while (joinable(word.type)) {
        out += lower(word);
        word = at(i++);
      }
      if (separates(word.type)) out += connector;
    }
  }
  return out + lower(word);
}

function wordsOf(runes: readonly string[]): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < runes.length; ) {
    const first = runes[at] as string;
    const run = (test: (rune: string) => boolean, from = at + 1): number => {
      let end = from;
      while (end < runes.length && test(runes[end] as string)) end++;
      return end;
    };
    let type: WordType = 'other';
    let end: number;
    if (isConnector(first)) [type, end] = ['connector', run(isConnector)];
    else if (isPunctuation(first)) [type, end] = ['punctuation', run(isPunctuation)];
    else if (isUpper(first)) {
      type = 'upper';
      end = run(isUpper);
      if (end > at + 1) {
        // The last capital belongs to the word that follows it.
        if (end < runes.length && isAlphabet(runes[end] as string)) end--;
      } else end = run((rune) => isAlphabet(rune) && !isUpper(rune));
    } else if (isAlphabet(first)) [type, end] = ['alphabet', run((rune) => isAlphabet(rune) && !isUpper(rune))];
    else if (isNumber(first)) [type, end] = ['number', run(isNumber)];
    else end = run((rune) => !isConnector(rune) && !isAlphabet(rune) && !isNumber(rune) && !isPunctuation(rune));
    words.push({ type, text: runes.slice(at, end) });
    at = end;
  }
  return words;
}
