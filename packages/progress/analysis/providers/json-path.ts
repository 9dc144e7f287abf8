import { misconfiguredProvider } from '../model/failures.ts';

type Select = (value: unknown) => unknown[];

/** Steps beyond this many are refused: an answer of depth n with as many descents would be walked n times over each. */
const maxSteps = 64;

/**
 * Compiles a JSONPath as kubectl has it (`{$.data.result[0].value}`): fields, quoted fields, indices, slices, `*`, `..`, and filters
 * such as `[?(@.name=="x")]`. What is found comes in its order. Throws for anything else.
 */
export function compileJsonPath(text: string): (value: unknown) => unknown[] {
  const inner = /^\s*\{([\s\S]*)\}\s*$/.exec(text)?.[1];
  if (inner === undefined) throw refusal(text, text);
  const steps: Select[] = [];
  let rest = inner.trim().replace(/^[$@]/, '');
  while (rest !== '') {
    const step = takeStep(rest);
    if (!step || steps.length >= maxSteps) throw refusal(text, rest);
    steps.push(step.select);
    rest = rest.slice(step.length);
  }
  return (value) => steps.reduce<unknown[]>((values, select) => values.flatMap(select), [value]);
}

function refusal(text: string, at: string): Error {
  return misconfiguredProvider(`the jsonPath ${JSON.stringify(text)} cannot be read at ${JSON.stringify(at)}`, [
    'Use fields, [indices], [from:to], [*], .. and [?(@.field==value)] inside braces: {$.data[0].value}',
  ]);
}

interface Taken {
  readonly select: Select;
  readonly length: number;
}

const patterns: readonly [RegExp, (match: RegExpExecArray) => Select | undefined][] = [
  [/^\.\.(?=[^.[\]])/, () => descendants],
  [/^\.\.(?=\[)/, () => descendants],
  [/^(?:\[\*\]|\.?\*)/, () => children],
  [/^\.?\['((?:[^'\\]|\\.)*)'\]/, ([, name]) => field(unescaped(name))],
  [/^\.?\["((?:[^"\\]|\\.)*)"\]/, ([, name]) => field(unescaped(name))],
  [/^\.?\[(-?\d+)\]/, ([, index]) => slice(Number(index), undefined)],
  [/^\.?\[(-?\d*):(-?\d*)\]/, ([, from, to]) => range(from, to)],
  [/^\.?\[\?\(([^()]*)\)\]/, ([, condition]) => filter(condition as string)],
  [/^\.?((?:\\.|[^.[\]\\*\s])+)/, ([, name]) => field(unescaped(name))],
];

function takeStep(text: string): Taken | undefined {
  for (const [pattern, make] of patterns) {
    const match = pattern.exec(text);
    const select = match && make(match);
    if (select) return { select, length: match[0].length };
  }
  return undefined;
}

function unescaped(text = ''): string {
  return text.replace(/\\(.)/g, '$1');
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function field(name: string): Select {
  return (value) => (isObject(value) && !Array.isArray(value) && Object.hasOwn(value, name) ? [value[name]] : []);
}

function slice(index: number, to: number | undefined): Select {
  return (value) => {
    if (!Array.isArray(value)) return [];
    if (to !== undefined) return value.slice(index, to);
    const found = value.at(index);
    return found === undefined ? [] : [found];
  };
}

function range(from = '', to = ''): Select {
  return (value) =>
    Array.isArray(value) ? value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to)) : [];
}

const children: Select = (value) => (isObject(value) ? Object.values(value) : []);

const descendants: Select = (value) => [value, ...children(value).flatMap(descendants)];

function filter(condition: string): Select | undefined {
  const parts = /^\s*@((?:\.[\w-]+)*)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?)\s*)?$/.exec(condition);
  if (!parts) return undefined;
  const path = (parts[1] as string).split('.').slice(1);
  const wanted = parts[3] === undefined ? undefined : literal(parts[3]);
  return (value) =>
    children(value).filter((item) => {
      const found = path.reduce<unknown[]>((values, name) => values.flatMap(field(name)), [item])[0];
      return parts[2] === undefined ? found !== undefined : compare(found, parts[2], wanted);
    });
}

function literal(text: string): unknown {
  const quoted = /^(?:'(.*)'|"(.*)")$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2];
  if (text === 'true' || text === 'false') return text === 'true';
  return Number(text);
}

function compare(found: unknown, operator: string, wanted: unknown): boolean {
  if (typeof found !== typeof wanted) return false;
  const [a, b] = [found as number, wanted as number];
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}
