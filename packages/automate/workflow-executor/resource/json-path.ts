/** A path of kubectl's JSONPath that cannot be read or followed. */
export class JsonPathError extends Error {
  override name = 'JsonPathError';
}

type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'equal'; readonly path: readonly string[]; readonly value: string };

/**
 * What a template of kubectl's JSONPath prints of an object: texts and `{…}` with `.name`, `['name']`, `[0]`, `[-1]`, `[*]`, `*` and
 * `[?(@.name=="value")]`. Several results are separated by a blank. `range`, `..`, slices and unions are refused.
 */
export function printPath(object: unknown, template: string): string {
  let rest = template;
  let printed = '';
  while (rest) {
    const begin = rest.indexOf('{');
    if (begin < 0) return printed + rest;
    const end = closing(rest, begin, template);
    printed += rest.slice(0, begin) + textAt(object, rest.slice(begin + 1, end).trim(), template);
    rest = rest.slice(end + 1);
  }
  return printed;
}

function closing(text: string, from: number, template: string): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at++) {
    const letter = text[at] as string;
    if (quote) quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '}') return at;
  }
  throw new JsonPathError(`${template} has a { without }`);
}

function textAt(object: unknown, path: string, template: string): string {
  const literal = /^(["'])(.*)\1$/.exec(path);
  if (literal) return (literal[2] ?? '').replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  let found: unknown[] = [object];
  for (const step of stepsOf(path, template)) found = found.flatMap((value) => follow(value, step, template));
  return found.map(textOf).join(' ');
}

const stepPattern =
  /^(?:\.?\[\s*(?:'([^']*)'|"([^"]*)"|(-?\d{1,9})|(\*)|\?\(\s*@((?:\.[\w-]+)+)\s*==\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\s*\))\s*\]|\.?([\w-]+|\*)|\.$)/;

function stepsOf(path: string, template: string): Step[] {
  const steps: Step[] = [];
  let rest = path.replace(/^\$/, '');
  while (rest) {
    const match = rest.startsWith('..') ? null : stepPattern.exec(rest);
    if (!match) throw new JsonPathError(`cannot read ${rest} of the path ${template}`);
    const [whole, single, double, index, all, queried, first, second, third, name] = match;
    const named = single ?? double ?? name;
    if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (all || named === '*') steps.push({ kind: 'all' });
    else if (queried)
      steps.push({ kind: 'equal', path: queried.slice(1).split('.'), value: first ?? second ?? third ?? '' });
    else if (named !== undefined) steps.push({ kind: 'name', name: named });
    rest = rest.slice(whole.length);
  }
  return steps;
}

function follow(value: unknown, step: Step, template: string): unknown[] {
  if (step.kind === 'all')
    return Array.isArray(value) ? value : value && typeof value === 'object' ? Object.values(value) : [];
  if (step.kind === 'equal')
    return (Array.isArray(value) ? value : []).filter((item) => {
      let at: unknown = item;
      for (const name of step.path) at = member(at, name);
      return at !== undefined && textOf(at) === step.value;
    });
  const found =
    step.kind === 'index' ? (Array.isArray(value) ? value.at(step.index) : undefined) : member(value, step.name);
  if (found === undefined)
    throw new JsonPathError(`${step.kind === 'index' ? step.index : step.name} of the path ${template} is not found`);
  return [found];
}

function member(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function textOf(value: unknown): string {
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
}
