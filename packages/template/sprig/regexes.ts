import type { RE2JS } from 're2js';
import { charge, limitText } from '../bounds/active-budget.ts';
import { define, FunctionError, type FunctionSpec } from '../functions/function-spec.ts';
import { sliceOfString } from '../value/type.ts';
import { GoSlice, integerOf, type Value } from '../value/value.ts';
import { compileRegex, RegexError } from './go-regex.ts';

function compile(source: string, context: Parameters<FunctionSpec['call']>[1]): RE2JS {
  context.budget.regex(source.length);
  return compileRegex(source);
}

/** As regexp.MustCompile panics, and as Compile fails. */
function attempt<T>(must: boolean, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    throw new FunctionError(must ? error.message : `regexp: Compile(${quoteRegex(error.source)}): ${error.message}`);
  }
}

function quoteRegex(source: string): string {
  return source.includes('`') ? JSON.stringify(source) : `\`${source}\``;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** All matches that do not overlap; Go does not take an empty one right after another match. */
function spans(compiled: RE2JS, text: string, count: number): Span[] {
  const found: Span[] = [];
  const matcher = compiled.matcher(text);
  let previousEnd = -1;
  while ((count < 0 || found.length < count) && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end && start === previousEnd) continue;
    charge();
    found.push({ start, end });
    previousEnd = end;
  }
  return found;
}

function split(compiled: RE2JS, source: string, text: string, count: number): string[] {
  if (count === 0) return [];
  if (source.length > 0 && text === '') return [''];
  const parts: string[] = [];
  let from = 0;
  let last = 0;
  for (const { start, end } of spans(compiled, text, count)) {
    if (count > 0 && parts.length === count - 1) break;
    last = start;
    if (end !== 0) parts.push(text.slice(from, last));
    from = end;
  }
  if (last !== text.length) parts.push(text.slice(from));
  else if (from <= text.length && parts.length > 0 && from === text.length && last < from) parts.push('');
  return parts;
}

/** `$1`, `${name}` and `$$` in a replacement, as Regexp.Expand reads them. */
function expand(template: string, groups: (name: string) => string): string {
  return template.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (all, braced: string | undefined, plain: string | undefined) => {
    if (all === '$$') return '$';
    return groups((braced ?? plain) as string);
  });
}

function replaceAll(compiled: RE2JS, text: string, by: (groups: (name: string) => string) => string): string {
  const matcher = compiled.matcher(text);
  const names = compiled.namedGroups() as Record<string, number>;
  let out = '';
  let at = 0;
  let previousEnd = -1;
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end && start === previousEnd) continue;
    charge();
    limitText(out.length);
    out += text.slice(at, start);
    out += by((name) => {
      const index = /^\d+$/.test(name) ? Number(name) : names[name];
      return index === undefined || index > compiled.groupCount() ? '' : (matcher.group(index) ?? '');
    });
    at = end;
    previousEnd = end;
  }
  return out + text.slice(at);
}

type Body = (args: Value[], compile: (source: string) => RE2JS) => Value;

const pair = (name: string, signature: string, body: Body): [string, FunctionSpec][] => {
  const spec = (must: boolean): FunctionSpec =>
    define(signature, (args, context) => attempt(must, () => body(args, (source) => compile(source, context))));
  return [
    [name, spec(false)],
    [`must${name[0]?.toUpperCase()}${name.slice(1)}`, spec(true)],
  ];
};

/** Sprig's functions of regular expressions: RE2, in linear time. */
export const regexFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ...pair('regexMatch', 'string, string', ([source, text], compiled) =>
    compiled(source as string)
      .matcher(text as string)
      .find(),
  ),
  [
    'regexMatch',
    define('string, string', ([source, text], context) => {
      try {
        return compile(source as string, context)
          .matcher(text as string)
          .find();
      } catch (error) {
        if (error instanceof RegexError) return false;
        throw error;
      }
    }),
  ],
  ...pair('regexFindAll', 'string, string, int', ([source, text, count], compiled) => {
    const found = spans(compiled(source as string), text as string, Number(integerOf(count)));
    return new GoSlice(
      sliceOfString,
      found.map(({ start, end }) => (text as string).slice(start, end)),
      found.length === 0,
    );
  }),
  ...pair('regexFind', 'string, string', ([source, text], compiled) => {
    const [first] = spans(compiled(source as string), text as string, 1);
    return first ? (text as string).slice(first.start, first.end) : '';
  }),
  ...pair('regexReplaceAll', 'string, string, string', ([source, text, by], compiled) =>
    replaceAll(compiled(source as string), text as string, (groups) => expand(by as string, groups)),
  ),
  ...pair('regexReplaceAllLiteral', 'string, string, string', ([source, text, by], compiled) =>
    replaceAll(compiled(source as string), text as string, () => by as string),
  ),
  ...pair('regexSplit', 'string, string, int', ([source, text, count], compiled) => {
    const limit = Number(integerOf(count));
    return new GoSlice(
      sliceOfString,
      split(compiled(source as string), source as string, text as string, limit),
      limit === 0,
    );
  }),
  ['regexQuoteMeta', define('string', ([text]) => (text as string).replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'))],
]);
