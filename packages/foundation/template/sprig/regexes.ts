import type { RE2JS } from 're2js';
import { charge, chargeMatch, limitList, limitText } from '../bounds/active-budget.ts';
import { define, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import type { CallTrace } from '../value/trace/call-trace.ts';
import { Rope, RopeReader, RopeSlicer, sliceOf, wholeOf } from '../value/trace/rope.ts';
import { unite } from '../value/trace/source.ts';
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

/** A matcher for a text that does not take too long. */
function matcherOf(compiled: RE2JS, text: string): ReturnType<RE2JS['matcher']> {
  chargeMatch(compiled.programSize(), text.length);
  return compiled.matcher(text);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** All matches that do not overlap; Go does not take an empty one right after another match. */
function spans(compiled: RE2JS, text: string, count: number): Span[] {
  const found: Span[] = [];
  const matcher = matcherOf(compiled, text);
  let previousEnd = -1;
  while ((count < 0 || found.length < count) && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end && start === previousEnd) continue;
    charge();
    limitList(found.length);
    found.push({ start, end });
    previousEnd = end;
  }
  return found;
}

/** The parts of a text between matches. */
function split(compiled: RE2JS, source: string, text: string, count: number): Span[] {
  if (count === 0) return [];
  if (source.length > 0 && text === '') return [{ start: 0, end: 0 }];
  const parts: Span[] = [];
  let from = 0;
  let last = 0;
  for (const { start, end } of spans(compiled, text, count)) {
    if (count > 0 && parts.length === count - 1) break;
    last = start;
    if (end !== 0) parts.push({ start: from, end: last });
    from = end;
  }
  if (last !== text.length) parts.push({ start: from, end: text.length });
  else if (parts.length > 0 && from === text.length && last < from) parts.push({ start: from, end: from });
  return parts;
}

/** `$1`, `${name}` and `$$` in a replacement, as Regexp.Expand reads them. */
function expand(template: string, groups: (name: string) => string): string {
  return template.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (all, braced: string | undefined, plain: string | undefined) => {
    if (all === '$$') return '$';
    return groups((braced ?? plain) as string);
  });
}

interface Replacement extends Span {
  readonly by: string;
}

/** What stands in place of each match. */
function replacements(compiled: RE2JS, text: string, by: (groups: (name: string) => string) => string): Replacement[] {
  const matcher = matcherOf(compiled, text);
  const names = compiled.namedGroups() as Record<string, number>;
  const found: Replacement[] = [];
  let length = 0;
  let previousEnd = -1;
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (start === end && start === previousEnd) continue;
    charge();
    const replacement = by((name) => {
      const index = /^\d+$/.test(name) ? Number(name) : names[name];
      return index === undefined || index > compiled.groupCount() ? '' : (matcher.group(index) ?? '');
    });
    length += replacement.length;
    limitText(length);
    found.push({ start, end, by: replacement });
    previousEnd = end;
  }
  return found;
}

function replaced(text: string, found: readonly Replacement[]): string {
  let out = '';
  let at = 0;
  for (const { start, end, by } of found) {
    out += text.slice(at, start) + by;
    at = end;
  }
  return out + text.slice(at);
}

/** States what a text with replacements is made of. `isLiteral`: they are the third argument as it is. */
function traceReplaced(trace: CallTrace, text: string, found: readonly Replacement[], isLiteral: boolean): void {
  const rope = new Rope();
  const reader = new RopeReader(trace.argument(1));
  const by = trace.argument(2);
  const inserted = isLiteral ? by : unite([wholeOf(by), wholeOf(trace.argument(1))]);
  let at = 0;
  for (const { start, end, by: written } of found) {
    reader.take(start - at, rope);
    reader.take(end - start);
    rope.add(inserted, written.length);
    at = end;
  }
  reader.take(text.length - at, rope);
  trace.result(rope);
}

/** A list of parts of a text. */
function parts(text: string, found: readonly Span[], isNil: boolean, trace: CallTrace | undefined): Value {
  const list = new GoSlice(
    sliceOfString,
    found.map(({ start, end }) => text.slice(start, end)),
    isNil,
  );
  if (trace) {
    const slicer = new RopeSlicer(trace.argument(1));
    for (const [i, { start, end }] of found.entries()) trace.slots.put(list, i, slicer.slice(start, end));
    trace.result(undefined);
  }
  return list;
}

type Body = (args: Value[], compile: (source: string) => RE2JS, trace: CallTrace | undefined) => Value;

const pair = (name: string, signature: string, body: Body): [string, FunctionSpec][] => {
  const spec = (must: boolean): FunctionSpec =>
    define(signature, (args, context) =>
      attempt(must, () => body(args, (source) => compile(source, context), context.trace)),
    );
  return [
    [name, spec(false)],
    [`must${name[0]?.toUpperCase()}${name.slice(1)}`, spec(true)],
  ];
};

/** Sprig's functions of regular expressions: RE2, in linear time. */
export const regexFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ...pair('regexMatch', 'string, string', ([source, text], compiled) =>
    matcherOf(compiled(source as string), text as string).find(),
  ),
  [
    'regexMatch',
    define('string, string', ([source, text], context) => {
      try {
        return matcherOf(compile(source as string, context), text as string).find();
      } catch (error) {
        if (error instanceof RegexError) return false;
        throw error;
      }
    }),
  ],
  ...pair('regexFindAll', 'string, string, int', ([source, text, count], compiled, trace) => {
    const found = spans(compiled(source as string), text as string, Number(integerOf(count)));
    return parts(text as string, found, found.length === 0, trace);
  }),
  ...pair('regexFind', 'string, string', ([source, text], compiled, trace) => {
    const [first] = spans(compiled(source as string), text as string, 1);
    trace?.result(first && sliceOf(trace.argument(1), first.start, first.end));
    return first ? (text as string).slice(first.start, first.end) : '';
  }),
  ...pair('regexReplaceAll', 'string, string, string', ([source, text, by], compiled, trace) => {
    const found = replacements(compiled(source as string), text as string, (groups) => expand(by as string, groups));
    if (trace) traceReplaced(trace, text as string, found, !(by as string).includes('$'));
    return replaced(text as string, found);
  }),
  ...pair('regexReplaceAllLiteral', 'string, string, string', ([source, text, by], compiled, trace) => {
    const found = replacements(compiled(source as string), text as string, () => by as string);
    if (trace) traceReplaced(trace, text as string, found, true);
    return replaced(text as string, found);
  }),
  ...pair('regexSplit', 'string, string, int', ([source, text, count], compiled, trace) => {
    const limit = Number(integerOf(count));
    const found = split(compiled(source as string), source as string, text as string, limit);
    return parts(text as string, found, limit === 0, trace);
  }),
  ['regexQuoteMeta', define('string', ([text]) => (text as string).replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'))],
]);
