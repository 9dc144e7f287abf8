import { goQuote } from '@tiphys/go';
import { byteLength, sliceBytes } from '../../text/bytes.ts';
import type { TraceRule } from '../../value/trace/call.ts';
import { integerOf } from '../../value/value.ts';
import { defaulted, either, firstGiven } from './choices.ts';
import { json, parsed } from './documents.ts';
import {
  allButFirst,
  allButLast,
  appended,
  chunked,
  compacted,
  concatenated,
  element,
  listed,
  prepended,
  reversed,
  sliced,
  sortedTexts,
  split,
  texts,
  unique,
  without,
} from './lists.ts';
import { contents, copied, dug, entry, merged, names, paired, plucked, put, reduced, removed } from './maps.ts';
import { shallow } from './opaque.ts';
import {
  asText,
  counted,
  escaped,
  head,
  indented,
  inPlace,
  joined,
  middle,
  part,
  quoted,
  repeated,
  replaced,
  spaced,
  tail,
  truncated,
} from './texts.ts';

const lists: Readonly<Record<string, TraceRule>> = {
  append: appended,
  push: appended,
  prepend: prepended,
  first: element(() => 0),
  last: element((items) => items.length - 1),
  rest: allButFirst,
  initial: allButLast,
  reverse: reversed,
  compact: compacted,
  uniq: unique,
  without,
  slice: sliced,
  chunk: chunked,
};

const documents: Readonly<Record<string, TraceRule>> = {
  toJson: json({ pretty: false, raw: false }),
  toPrettyJson: json({ pretty: true, raw: false }),
  toRawJson: json({ pretty: false, raw: true }),
  fromJson: parsed,
};

const maps: Readonly<Record<string, TraceRule>> = {
  merge: merged,
  mergeOverwrite: merged,
  deepCopy: copied,
};

/** The form of a function that fails instead of giving nothing. */
const must = (rules: Readonly<Record<string, TraceRule>>): [string, TraceRule][] =>
  Object.entries(rules).flatMap(([name, rule]) => [
    [name, rule],
    [`must${name[0]?.toUpperCase()}${name.slice(1)}`, rule],
  ]);

/** The bytes of a text before the offset that `substr` is given. */
const beforeOffset = (text: string, offset: bigint): string =>
  offset <= 0n ? '' : sliceBytes(text, 0, Math.min(Number(offset), byteLength(text)));

/** How the values that Sprig's functions are given go into their results. */
export const sprigRules: Readonly<Record<string, TraceRule>> = {
  ...Object.fromEntries([...must(lists), ...must(documents), ...must(maps)]),
  ...Object.fromEntries(
    ['typeOf', 'typeIs', 'typeIsLike', 'kindOf', 'kindIs', 'hasKey', 'empty', 'all', 'any'].map((name) => [
      name,
      shallow,
    ]),
  ),
  trunc: truncated,
  substr: part(2, ({ args }) => beforeOffset(String(args[2]), integerOf(args[0]) ?? 0n)),
  trim: middle(0),
  trimAll: middle(1),
  trimall: middle(1),
  trimSuffix: head(1),
  trimPrefix: tail(1),
  upper: inPlace(0),
  lower: inPlace(0),
  title: inPlace(0),
  untitle: inPlace(0),
  swapcase: inPlace(0),
  repeat: repeated,
  quote: quoted((text) => goQuote(text).slice(1, -1)),
  squote: quoted((text) => text),
  cat: spaced,
  indent: indented(0),
  nindent: indented(1),
  replace: replaced,
  plural: counted,
  toString: asText,
  toStrings: texts,
  sortAlpha: sortedTexts,
  split: split(1),
  splitList: split(1),
  splitn: split(2),
  join: joined,
  regexQuoteMeta: escaped((text) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
  default: defaulted,
  coalesce: firstGiven,
  ternary: either,
  list: listed,
  tuple: listed,
  concat: concatenated,
  dict: paired,
  get: entry,
  set: put,
  unset: removed,
  pluck: plucked,
  keys: names,
  values: contents,
  pick: reduced,
  omit: reduced,
  dig: dug,
};
