import {
  byteLength,
  GoSlice,
  int,
  lowerRune,
  sliceOfString,
  sprintf,
  typeOf,
  upperRune,
  type Value,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { isSpace } from '../syntax/characters.ts';
import { asText, toInt, typeName } from '../values/numbers.ts';
import type { Builtin } from './builtin.ts';

const strings = (items: readonly string[]): Value => new GoSlice(sliceOfString, [...items]);

/** A function of texts alone. */
const ofTexts =
  (apply: (...texts: string[]) => Value): Builtin =>
  (args) =>
    apply(...args.map(asText));

function trim(text: string, cut: (rune: string) => boolean): string {
  const runes = Array.from(text);
  let from = 0;
  let to = runes.length;
  while (from < to && cut(runes[from] as string)) from++;
  while (to > from && cut(runes[to - 1] as string)) to--;
  return runes.slice(from, to).join('');
}

/** `strings.genSplit`: at most `count` parts, all if negative; each keeps its separator if asked. */
function split(text: string, separator: string, count: number, keeps: boolean): string[] {
  if (count === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  const isCut = count > 0 && parts.length > count;
  const whole = isCut ? parts.slice(0, count - 1) : parts;
  const glue = keeps ? separator : '';
  const out = whole.map((part, i) => (i < parts.length - 1 ? part + glue : part));
  if (isCut) out.push(parts.slice(count - 1).join(separator));
  return out;
}

const splitting =
  (keeps: boolean): Builtin =>
  ([text, separator, count], { budget }) => {
    const parts = split(asText(text), asText(separator), count === undefined ? -1 : Number(toInt(count)), keeps);
    budget.step(parts.length);
    return strings(parts);
  };

function replace(text: string, from: string, to: string, count: number): string {
  if (count < 0)
    return from === ''
      ? [...['', ...Array.from(text)].map((rune) => rune + to)].join('')
      : text.replaceAll(from, () => to);
  const parts = from === '' ? ['', ...Array.from(text), ''] : text.split(from);
  const cuts = Math.min(count, parts.length - 1);
  let out = parts[0] as string;
  for (let i = 1; i < parts.length; i++) out += (i <= cuts ? to : from) + (parts[i] as string);
  return out;
}

const position =
  (find: (text: string, part: string) => number): Builtin =>
  ([text, part]) => {
    const index = find(asText(text), asText(part));
    return int(index < 0 ? -1 : byteLength((text as string).slice(0, index)));
  };

const mapRunes = (text: string, change: (rune: string) => string): string => Array.from(text, change).join('');

export const texts: Readonly<Record<string, Builtin>> = {
  string: ([value], { budget }) => {
    const text = sprintf('%v', [value], (units) => budget.text(units));
    return text;
  },
  trim: ofTexts((text, cutset) => {
    const cut = cutset === undefined ? undefined : new Set(Array.from(cutset));
    return trim(text as string, cut ? (rune) => cut.has(rune) : isSpace);
  }),
  trimPrefix: ofTexts((text, prefix = ' ') => (text?.startsWith(prefix) ? text.slice(prefix.length) : text)),
  trimSuffix: ofTexts((text, suffix = ' ') =>
    suffix !== '' && text?.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  ),
  upper: ofTexts((text) => mapRunes(text as string, upperRune)),
  lower: ofTexts((text) => mapRunes(text as string, lowerRune)),
  split: splitting(false),
  splitAfter: splitting(true),
  replace: ([text, from, to, count], { budget }) => {
    const [source, old, fresh] = [text, from, to].map(asText) as [string, string, string];
    const most = old === '' ? source.length + 1 : Math.floor(source.length / old.length);
    budget.text(source.length + most * Math.max(0, fresh.length - old.length));
    return replace(source, old, fresh, count === undefined ? -1 : Number(toInt(count)));
  },
  repeat: ([text, count], { budget }) => {
    const source = asText(text);
    const times = toInt(count);
    if (times < 0n) throw new Panic(`invalid argument for repeat (expected positive integer, got ${times})`);
    if (times > 1_000_000n) throw new Panic('memory budget exceeded', 'limit');
    budget.grow(byteLength(source) * Number(times));
    return source.repeat(Number(times));
  },
  join: ([list, glue], { budget }) => {
    const isStrings = list instanceof GoSlice && list.type === sliceOfString;
    if (!Array.isArray(list) && !isStrings)
      throw new Panic(`invalid argument for join (type ${typeOf(list) ? typeName(list) : '%!s(<nil>)'})`);
    const parts = (isStrings ? (list as GoSlice).items : (list as Value[])).map(asText);
    const separator = glue === undefined ? '' : asText(glue);
    budget.text(parts.reduce((units, part) => units + part.length + separator.length, 0));
    return parts.join(separator);
  },
  indexOf: position((text, part) => text.indexOf(part)),
  lastIndexOf: position((text, part) => text.lastIndexOf(part)),
  hasPrefix: ofTexts((text, prefix) => (text as string).startsWith(prefix as string)),
  hasSuffix: ofTexts((text, suffix) => (text as string).endsWith(suffix as string)),
};

/** Code points of a text; elements of a list or map. */
export function lettersOf(value: Value): number | undefined {
  return typeof value === 'string' ? Array.from(value).length : undefined;
}
