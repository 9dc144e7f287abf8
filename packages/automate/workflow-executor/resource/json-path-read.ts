import { type Block, type Filter, JsonPathError, type Operator, type Slice, type Step } from './json-path-steps.ts';

/** Blocks may be in one another; deeper is no template that someone wrote. */
const deepest = 50;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07' };
const actionPattern = /^\s*(range(?=[\s.[@$])|end(?=\s*$))?(.*)$/s;
const operators: ReadonlySet<string> = new Set<Operator>(['==', '!=', '<', '<=', '>', '>=']);

/** Reads a template of kubectl's JSONPath. A `range` without `end` goes on to the end. Throws a `JsonPathError`. */
export function readTemplate(template: string): Block[] {
  const root: Block[] = [];
  const open: Block[][] = [root];
  let at = 0;
  while (at < template.length) {
    const begin = template.indexOf('{', at);
    if (begin !== at) {
      const text = template.slice(at, begin < 0 ? template.length : begin);
      open.at(-1)?.push({ kind: 'text', text });
    }
    if (begin < 0) break;
    const end = endOf(template, begin + 1, '}');
    const [, word = '', rest = ''] = actionPattern.exec(template.slice(begin + 1, end)) ?? [];
    at = end + 1;
    if (word === 'end') {
      if (open.length < 2) throw new JsonPathError(`${template} has an {end} without {range …}`);
      open.pop();
      continue;
    }
    const steps = new ActionReader(rest, template).steps();
    if (word !== 'range') open.at(-1)?.push({ kind: 'action', steps });
    else {
      const body: Block[] = [];
      open.at(-1)?.push({ kind: 'range', steps, body });
      open.push(body);
      if (open.length > deepest) throw new JsonPathError(`${template} has more than ${deepest} ranges in one another`);
    }
  }
  return root;
}

/** Where `mark` is outside of quotes and of deeper brackets. */
function endOf(text: string, from: number, mark: string): number {
  let quote = '';
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const letter = text[at] as string;
    if (letter === '\\') at += 1;
    else if (quote) quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === mark && depth === 0) return at;
    else if (letter === '[' || letter === '(') depth += 1;
    else if (letter === ']' || letter === ')') depth -= 1;
  }
  throw new JsonPathError(`${text} has ${quote ? `a ${quote} without its end` : `no ${mark} where one is wanted`}`);
}

/** Reads what is between braces. */
class ActionReader {
  readonly #text: string;
  readonly #template: string;
  #at = 0;

  constructor(text: string, template: string) {
    this.#text = text;
    this.#template = template;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      const letter = this.#text[this.#at] as string;
      if (' \t@$'.includes(letter)) this.#at += 1;
      else if (this.#text.startsWith('..', this.#at)) steps.push(...this.#descendants(steps.at(-1)));
      else if (letter === '.') steps.push(this.#field(1));
      else if (letter === '[') steps.push(...this.#bracket());
      else if (letter === '"' || letter === "'") steps.push({ kind: 'value', value: this.#quoted() });
      else steps.push({ kind: 'value', value: this.#word() });
    }
    return steps;
  }

  #unreadable(what = this.#text.slice(this.#at)): JsonPathError {
    return new JsonPathError(`cannot read ${what} of the path ${this.#template}`);
  }

  #descendants(before: Step | undefined): Step[] {
    if (before?.kind === 'descendants') throw this.#unreadable();
    this.#at += 2;
    const isName = /[\p{L}\p{Nd}_]/u.test(this.#text[this.#at] ?? '');
    return [{ kind: 'descendants' }, ...(isName ? [this.#field(0)] : [])];
  }

  /** A name ends before what can't be in one, unless a backslash is before it. */
  #field(skip: number): Step {
    this.#at += skip;
    const [text = ''] = /^(?:\\.|[^\\\s.,[\]$@{}])*/s.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += text.length;
    return text === '*' ? { kind: 'all' } : { kind: 'field', name: text.replaceAll('\\', '') };
  }

  #quoted(): string {
    const [whole, double, single] =
      /^(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')/s.exec(this.#text.slice(this.#at)) ?? [];
    const text = double ?? single;
    if (whole === undefined || text === undefined) throw this.#unreadable();
    this.#at += whole.length;
    return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, letter: string) =>
      code ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[letter] ?? letter),
    );
  }

  #word(): number | boolean {
    const [word = ''] = /^[^\s.,[\]$@{}]+(?:\.\d+)?/.exec(this.#text.slice(this.#at)) ?? [];
    if (word === 'true' || word === 'false') {
      this.#at += word.length;
      return word === 'true';
    }
    if (!/^[+-]?\d+(\.\d+)?$/.test(word)) throw this.#unreadable();
    this.#at += word.length;
    return Number(word);
  }

  #bracket(): Step[] {
    const end = endOf(this.#text, this.#at + 1, ']');
    const inner = this.#text.slice(this.#at + 1, end).trim();
    this.#at = end + 1;
    if (inner.startsWith('?(') && inner.endsWith(')'))
      return [{ kind: 'filter', filter: this.#filter(inner.slice(2, -1)) }];
    const parts = splitOutside(inner, ',');
    if (parts.length < 2) return [this.#element(inner)];
    return [{ kind: 'union', branches: parts.map((part) => [this.#element(part.trim())]) }];
  }

  #element(text: string): Step {
    const [, single, double] = /^(?:'([^']*)'|"([^"]*)")$/.exec(text) ?? [];
    const key = single ?? double;
    if (key !== undefined) {
      const path = splitOutside(key, '.').map((name) => name.replaceAll('\\', ''));
      return { kind: 'key', name: key.replaceAll('\\', ''), path };
    }
    return text === '*' ? { kind: 'slice', slice: { isIndex: false, from: 0, step: 1 } } : this.#slice(text);
  }

  #slice(text: string): Step {
    const match = /^(-?\d{1,9})?(?:(:)(-?\d{1,9})?(?::(-?\d{1,9})?)?)?$/.exec(text);
    if (!match || text === '') throw this.#unreadable(`[${text}]`);
    const [, from = '0', colon, to, step = '1'] = match;
    if (Number(step) < 1)
      throw new JsonPathError(`the step of [${text}] of the path ${this.#template} must be above 0`);
    const slice: Slice = {
      isIndex: !colon,
      from: Number(from),
      step: Number(step),
      ...(to === undefined ? {} : { to: Number(to) }),
    };
    return { kind: 'slice', slice };
  }

  #filter(text: string): Filter {
    const left = splitOutside(text, '!<>=')[0] ?? '';
    const begin = left.length;
    if (begin === text.length) return { left: this.#inner(text), right: [] };
    const [operator = ''] = /^[!<>=~]+/.exec(text.slice(begin)) ?? [];
    if (!operators.has(operator))
      throw new JsonPathError(
        `${operator} in the path ${this.#template} is no comparison: use ${[...operators].join(', ')}`,
      );
    return {
      left: this.#inner(left),
      operator: operator as Operator,
      right: this.#inner(text.slice(begin + operator.length)),
    };
  }

  #inner(text: string): Step[] {
    return new ActionReader(text, this.#template).steps();
  }
}

/** The parts between any of the marks that are neither in quotes nor behind a backslash. */
function splitOutside(text: string, marks: string): string[] {
  const parts = [''];
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string;
    if (letter === '\\') parts[parts.length - 1] += letter + (text[++at] ?? '');
    else if (marks.includes(letter) && !quote) parts.push('');
    else {
      if (quote) quote = letter === quote ? '' : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      parts[parts.length - 1] += letter;
    }
  }
  return parts;
}
