import { goJson } from '@tiphys/workflows';
import { readTemplate } from './json-path-read.ts';
import { type Block, type Filter, JsonPathError, type Slice, type Step } from './json-path-steps.ts';

/** So many values come from no path that is meant; `..` could otherwise fill the memory. */
const mostValues = 100_000;

/**
 * What `kubectl get -o jsonpath=TEMPLATE` prints of an object: texts, and `{…}` with `.name`, `['name']`, `[0]`, `[-1]`, `[0:2]`, `[*]`,
 * `['a','b']`, `..`, `[?(@.a=="b")]`, and `{range …}…{end}`. Values of an action are separated by a blank; objects are JSON. A field that
 * is not there prints nothing, an index that is not there is an error, as in kubectl. Beyond it a key in brackets may have dots unescaped,
 * members of maps come in the order of their names, and an empty list does not end the lists beside it. Throws a `JsonPathError`.
 */
export function printPath(object: unknown, template: string): string {
  return new Printer(template).print(readTemplate(template), object);
}

class Printer {
  readonly #template: string;

  constructor(template: string) {
    this.#template = template;
  }

  print(blocks: readonly Block[], object: unknown): string {
    return blocks
      .map((block) => {
        if (block.kind === 'text') return block.text;
        const values = this.#follow([object], block.steps);
        if (block.kind === 'action') return values.map(textOf).join(' ');
        return values.map((value) => this.print(block.body, value)).join('');
      })
      .join('');
  }

  #follow(from: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
    let values = from;
    for (const step of steps) {
      values = this.#step(values, step);
      if (values.length > mostValues)
        throw new JsonPathError(`the path ${this.#template} leads to more than ${mostValues} values`);
    }
    return values;
  }

  #step(values: readonly unknown[], step: Step): readonly unknown[] {
    switch (step.kind) {
      case 'field':
        return values.flatMap((value) => member(value, step.name));
      case 'key':
        return values.flatMap((value) => {
          const whole = member(value, step.name);
          return whole.length > 0
            ? whole
            : step.path.reduce<unknown[]>((found, name) => found.flatMap((each) => member(each, name)), [value]);
        });
      case 'all':
        return values.flatMap(childrenOf);
      case 'descendants':
        return this.#descendants(values);
      case 'value':
        return [step.value];
      case 'slice':
        return values.flatMap((value) => this.#slice(value, step.slice));
      case 'union':
        return step.branches.flatMap((branch) => this.#follow(values, branch));
      case 'filter':
        return values.flatMap((value) => this.#filter(value, step.filter));
    }
  }

  /** All maps and lists that have something, from above to below. */
  #descendants(values: readonly unknown[]): unknown[] {
    const found: unknown[] = [];
    const visit = (value: unknown) => {
      const children = childrenOf(value);
      if (children.length === 0 && !isText(value)) return;
      if (found.length <= mostValues) found.push(value);
      for (const child of children) visit(child);
    };
    for (const value of values) visit(value);
    return found;
  }

  #slice(value: unknown, { isIndex, from, to, step }: Slice): unknown[] {
    if (value === null) return [];
    if (!Array.isArray(value)) throw this.#cannot(`${shortText(value)} is no list`);
    const { length } = value;
    const begin = from < 0 ? from + length : from;
    const end = isIndex ? begin + 1 : to === undefined ? length : to < 0 ? to + length : to;
    if (begin === end) return [];
    if (begin < 0 || begin >= length || end < 0 || end > length)
      throw this.#cannot(`${isIndex ? from : `${from}:${to ?? ''}`} is beyond the list, which has ${length}`);
    if (begin > end) throw this.#cannot(`${from}:${to ?? ''} ends before it begins`);
    return value.slice(begin, end).filter((_, at) => at % step === 0);
  }

  #filter(value: unknown, filter: Filter): unknown[] {
    if (!Array.isArray(value)) throw this.#cannot(`${shortText(value)} is no list to filter`);
    return value.filter((item) => {
      if (!filter.operator) return this.#leads(item, filter.left);
      const left = this.#follow([item], filter.left);
      const right = this.#follow([item], filter.right);
      if (left.length === 0 || right.length === 0) return false;
      if (left.length > 1 || right.length > 1) throw this.#cannot('a comparison is of one value with one');
      return this.#compare(left[0], right[0], filter.operator);
    });
  }

  #leads(item: unknown, steps: readonly Step[]): boolean {
    try {
      return this.#follow([item], steps).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return false;
      throw error;
    }
  }

  #compare(left: unknown, right: unknown, operator: NonNullable<Filter['operator']>): boolean {
    const isOrdered = typeof left === 'string' || typeof left === 'number';
    if (typeof left !== typeof right || !(isOrdered || typeof left === 'boolean'))
      throw this.#cannot(`${shortText(left)} ${operator} ${shortText(right)} compares what is not of one type`);
    if (operator === '==') return left === right;
    if (operator === '!=') return left !== right;
    if (!isOrdered) throw this.#cannot(`${operator} is not for true and false`);
    const [a, b] = [left, right as typeof left];
    if (operator === '<') return a < b;
    if (operator === '<=') return a <= b;
    return operator === '>' ? a > b : a >= b;
  }

  #cannot(why: string): JsonPathError {
    return new JsonPathError(`the path ${this.#template} cannot be followed: ${why}`);
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (value === null || typeof value !== 'object') return [];
  const map = value as Readonly<Record<string, unknown>>;
  return Object.keys(map)
    .sort()
    .map((key) => map[key]);
}

function member(value: unknown, name: string): unknown[] {
  const isMap = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isMap && Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
}

function textOf(value: unknown): string {
  return value !== null && typeof value === 'object' ? goJson(value) : String(value);
}

function shortText(value: unknown): string {
  const text = textOf(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
