import { parseFloat64 } from '@tiphys/template';
import { RE2JS } from 're2js';
import { hidden, isSecretPath } from '../event/hidden-values.ts';
import { runTemplate, ValueTemplateError } from '../event/template.ts';
import { getPath } from '../json/get-path.ts';
import { booleanOf, type Node, numberOf, textOf } from '../json/node.ts';
import type { DataFilter, LogicalOperator } from '../spec/sensor.ts';
import { joined, passed, refused, unclear, type Verdict } from './verdict.ts';

/** The `data` filter: paths of the payload against values, which are alternatives. */
export function dataFilter(filters: readonly DataFilter[], operator: LogicalOperator | undefined, data: Node): Verdict {
  return joined(
    'data',
    operator === 'or',
    lazily(filters, (filter) => entry(filter, data)),
  );
}

function* lazily(filters: readonly DataFilter[], check: (filter: DataFilter) => Verdict): Generator<Verdict> {
  for (const filter of filters) yield check(filter);
}

function entry(filter: DataFilter, data: Node): Verdict {
  const found = getPath(data, filter.path);
  if (!found) return unclear(`path '${filter.path}' does not exist`);
  if (!filter.value?.length) return unclear('no values specified');
  let value = found;
  if (filter.template) {
    try {
      const text = runTemplate(filter.template, textOf(found));
      value = { kind: 'string', value: text, raw: JSON.stringify(text) };
    } catch (error) {
      if (error instanceof ValueTemplateError) return unclear(error.message);
      throw error;
    }
  }
  return compared(filter, value);
}

function compared(filter: DataFilter, value: Node): Verdict {
  const compare = comparisons.get(filter.type);
  if (!compare) return unclear(`unsupported JSON type '${filter.type}'`);
  for (const wanted of filter.value) {
    const result = compare(filter.comparator || '=', wanted, value);
    if (typeof result === 'string') return unclear(isSecretPath(filter.path) ? cannotCompare(filter) : result);
    if (result) return passed;
  }
  if (isSecretPath(filter.path)) return refused(`${filter.path} is ${hidden}, which is not what is wanted`);
  const wanted = filter.value.length === 1 ? `"${filter.value[0]}"` : `one of ${JSON.stringify(filter.value)}`;
  const comparator = filter.type === 'bool' ? '=' : filter.comparator || '=';
  return refused(`${filter.path} is ${shown(value)}, wanted ${filter.type} ${comparator} ${wanted}`);
}

function cannotCompare({ path, type, comparator }: DataFilter): string {
  return `${path} cannot be compared as ${type} by ${comparator || '='}; its value is not shown`;
}

/** A value as evidence: short, and never more than its start. */
function shown(value: Node): string {
  const { raw } = value;
  return raw.length > 80 ? `${raw.slice(0, 80)}…` : raw;
}

/** Whether the event's value is as wanted; a text tells why that cannot be said. */
type Compare = (comparator: string, wanted: string, value: Node) => boolean | string;

const truths = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

const faults = { syntax: 'invalid syntax', range: 'value out of range' } as const;

const comparisons = new Map<string, Compare>([
  [
    'bool',
    (_, wanted, value) => {
      const truth = truths.get(wanted);
      return truth === undefined
        ? `strconv.ParseBool: parsing "${wanted}": invalid syntax`
        : truth === booleanOf(value);
    },
  ],
  [
    'number',
    (comparator, wanted, value) => {
      const { value: number, fault } = parseFloat64(wanted);
      if (fault) return `strconv.ParseFloat: parsing "${wanted}": ${faults[fault]}`;
      return holds(comparator, numberOf(value), number);
    },
  ],
  [
    'string',
    (comparator, wanted, value) => {
      const found = matches(wanted, textOf(value));
      if (typeof found === 'string') return found;
      if (comparator === '=') return found;
      return comparator === '!=' && !found;
    },
  ],
]);

function holds(comparator: string, value: number, wanted: number): boolean {
  switch (comparator) {
    case '=':
      return value === wanted;
    case '!=':
      return value !== wanted;
    case '>':
      return value > wanted;
    case '>=':
      return value >= wanted;
    case '<':
      return value < wanted;
    default:
      return comparator === '<=' && value <= wanted;
  }
}

const patterns = new Map<string, RE2JS>();

/** Whether a text matches an RE2 expression anywhere; a text tells why the expression is none. */
export function matches(source: string, text: string): boolean | string {
  let pattern = patterns.get(source);
  if (!pattern) {
    try {
      pattern = RE2JS.compile(source);
    } catch (error) {
      return `error parsing regexp: ${(error as Error).message}`;
    }
    if (patterns.size > 500) patterns.clear();
    patterns.set(source, pattern);
  }
  return pattern.matcher(text).find();
}
