import type { Machine } from '../run/machine.ts';
import { show, typeName } from '../run/show.ts';
import { LuaTable } from '../run/table.ts';
import { isTruthy, type LuaValue } from '../run/value.ts';
import { fromBytes, toBytes } from '../text/bytes.ts';
import { format } from '../text/format.ts';
import { type CapturedPart, type Match, Pattern, PatternError } from '../text/pattern.ts';
import type { Arguments } from './arguments.ts';
import { builtin, fill, type LibraryFunction, refused } from './define.ts';

const functions: Readonly<Record<string, LibraryFunction>> = {
  byte(args, machine) {
    const text = args.string(1);
    const fromEnd = (index: number) => (index < 0 ? text.length + index + 1 : index);
    const start = args.optionalInteger(2, 1) - 1;
    const first = start < 0 ? text.length + start + 1 : start;
    if (args.count === 2) {
      return first < 0 || first >= text.length ? [] : [text.charCodeAt(first)];
    }
    const end = Math.min(fromEnd(args.optionalInteger(3, -1)), text.length);
    if (end - first > 250_000) throw machine.error('string slice too long');
    const bytes: LuaValue[] = [];
    for (let i = Math.max(first, 0); i < end; i++) bytes.push(text.charCodeAt(i));
    machine.bounds.work(bytes.length);
    return bytes;
  },
  char(args, machine) {
    machine.bounds.text(args.count);
    return [args.values.map((_, i) => String.fromCharCode(args.integer(i + 1) & 255)).join('')];
  },
  dump: refused('functions have no text'),
  find(args, machine) {
    const text = args.string(1);
    const pattern = args.string(2);
    if (pattern === '') return [1, 0];
    const start = startIndex(text, args.optionalInteger(3, 1));
    if (args.count === 4 && isTruthy(args.get(4))) {
      machine.bounds.work((text.length >> 4) + 1);
      const at = text.indexOf(pattern, start);
      return at < 0 ? [undefined] : [at + 1, at + pattern.length];
    }
    const [match] = search(machine, pattern, text, start, 1);
    return match ? [match.start + 1, match.end, ...captured(text, match, false)] : [undefined];
  },
  format(args, machine) {
    const template = args.string(1);
    machine.bounds.text(template.length);
    try {
      return [format(template, args.values.slice(1), machine.bounds)];
    } catch (error) {
      if (error instanceof RangeError) throw machine.error(`bad format: ${error.message}`);
      throw error;
    }
  },
  gsub(args, machine) {
    const text = args.string(1);
    const pattern = args.string(2);
    const replacement = args.get(3);
    if (replacement instanceof LuaTable || typeof replacement === 'string') {
      return replaceAll(args, machine, text, pattern, replacementOf(machine, text, replacement));
    }
    if (replacement === undefined || typeof replacement === 'boolean' || typeof replacement === 'number')
      throw machine.argumentError(3, `string or table or function expected, got ${typeName(replacement)}`);
    const callee = args.function(3);
    return replaceAll(args, machine, text, pattern, (match) => machine.call(callee, captured(text, match, true))[0]);
  },
  len: (args) => [args.string(1).length],
  lower: (args, machine) => [changeCase(machine, args.string(1), (text) => text.toLowerCase())],
  upper: (args, machine) => [changeCase(machine, args.string(1), (text) => text.toUpperCase())],
  match(args, machine) {
    const text = args.string(1);
    const pattern = args.string(2);
    const init = args.optionalInteger(3, 1);
    const start = Math.max((init < 0 ? text.length + init + 1 : init) - 1, 0);
    const [match] = search(machine, pattern, text, start, 1);
    return match ? captured(text, match, true) : [];
  },
  rep(args, machine) {
    const text = args.string(1);
    const count = Math.max(args.integer(2), 0);
    machine.bounds.text(text.length * count);
    return [text.repeat(text === '' ? 0 : count)];
  },
  reverse(args, machine) {
    const text = args.string(1);
    machine.bounds.text(text.length);
    return [text.split('').reverse().join('')];
  },
  sub(args, machine) {
    const text = args.string(1);
    const start = startIndex(text, args.integer(2));
    const last = args.optionalInteger(3, -1);
    const end = Math.min(Math.max(last < 0 ? text.length + last + 1 : last, 0), text.length);
    machine.bounds.text(Math.max(end - start, 0));
    return [start >= text.length || end < start ? '' : text.slice(start, end)];
  },
};

export function openString(machine: Machine): void {
  const library = fill(machine, functions);
  const each = builtin(machine, 'gmatch', (args) => {
    const text = args.string(1);
    const matches = search(machine, args.string(2), text, 0, -1);
    let next = 0;
    return [
      builtin(machine, '(for iterator)', () => {
        const match = matches[next++];
        return match ? captured(text, match, true) : [];
      }),
    ];
  });
  library.later(() => {
    library.set('gmatch', each);
    library.set('gfind', each);
    library.set('__index', library);
  });
  machine.stringMetatable = library;
  machine.globals.set('string', library);
  machine.registry.set('string', library);
}

/** From 0; an index below zero counts from the end. */
function startIndex(text: string, index: number): number {
  const from = index === 0 ? 0 : index - 1;
  return Math.max(0, from < 0 ? text.length + from + 1 : from);
}

function search(machine: Machine, source: string, text: string, offset: number, limit: number): Match[] {
  machine.bounds.work(source.length + 1);
  try {
    return new Pattern(source).find(text, offset, limit, machine.bounds);
  } catch (error) {
    if (error instanceof PatternError) throw machine.error(error.message);
    throw error;
  }
}

function value(text: string, part: CapturedPart): LuaValue {
  return typeof part === 'number' ? part : text.slice(part.start, part.end);
}

/** The captures; of a pattern without any the whole match, if that is wanted. */
function captured(text: string, match: Match, whole: boolean): LuaValue[] {
  if (match.captures.length === 0 && whole) return [text.slice(match.start, match.end)];
  return match.captures.map((part) => value(text, part));
}

function replaceAll(
  args: Arguments,
  machine: Machine,
  text: string,
  pattern: string,
  replace: (match: Match) => LuaValue,
): LuaValue[] {
  const limit = args.optionalInteger(4, -1);
  const matches = limit === 0 ? [] : search(machine, pattern, text, 0, limit);
  const parts: string[] = [];
  let [from, length] = [0, 0];
  const add = (part: string) => {
    length += part.length;
    machine.bounds.text(length, part.length);
    parts.push(part);
  };
  for (const match of matches) {
    machine.bounds.work(1);
    const replaced = replace(match);
    if (!isTruthy(replaced)) continue;
    add(text.slice(from, match.start));
    add(typeof replaced === 'string' || typeof replaced === 'number' ? show(replaced) : '');
    from = match.end;
  }
  add(text.slice(from));
  return [parts.join(''), matches.length];
}

function replacementOf(machine: Machine, text: string, replacement: string | LuaTable): (match: Match) => LuaValue {
  if (replacement instanceof LuaTable) return (match) => machine.index(replacement, captured(text, match, true)[0]);
  return (match) =>
    replacement.replace(/%([0-9%])/g, (_all, which: string) => {
      if (which === '%') return '%';
      const part = which === '0' ? undefined : match.captures[Number(which) - 1];
      if (part !== undefined) return show(value(text, part));
      if (which !== '0' && (which !== '1' || match.captures.length > 0)) throw machine.error('invalid capture index');
      return text.slice(match.start, match.end);
    });
}

/** Letters beyond ASCII change as well, as in Go. */
function changeCase(machine: Machine, text: string, change: (text: string) => string): string {
  machine.bounds.text(text.length);
  return toBytes(change(fromBytes(text)));
}
