import { nearestName } from '@tiphys/diagnosis';
import type { SpecProblem } from '../spec-problem.ts';
import { commonFields } from './common-fields.ts';
import { withoutEffect } from './effects.ts';
import { eventBusFields } from './event-bus-fields.ts';
import { eventSourceFields } from './event-source-fields.ts';
import { type FieldTable, type FieldType, fieldTable } from './field-table.ts';
import { sensorFields } from './sensor-fields.ts';

/** A field that does not do what its author wants. */
export interface FieldProblem {
  /** `spec.triggers[0].template.polcy` */
  readonly field: string;
  readonly text: string;
  /** What to do, as the end of a sentence. */
  readonly hint: string;
  /** The same as an imperative sentence. */
  readonly remedy: string;
  /** It is a slip of a field that there is, or holds another type. Others have no effect: upstream's own manifests have such. */
  readonly isRefused: boolean;
}

const most = 1000;
let read: FieldTable | undefined;

function fieldsOf(part: string): ReadonlyMap<string, FieldType> {
  read ??= fieldTable(commonFields, eventBusFields, eventSourceFields, sensorFields);
  return read.get(part) ?? new Map();
}

interface Scalar {
  readonly is: (value: unknown) => boolean;
  readonly words: string;
}

const scalars: ReadonlyMap<string, Scalar> = new Map([
  ['text', { is: (value: unknown) => typeof value === 'string', words: 'a text' }],
  ['number', { is: (value: unknown) => typeof value === 'number', words: 'a number' }],
  ['bool', { is: (value: unknown) => typeof value === 'boolean', words: 'true or false' }],
  ['amount', { is: (value: unknown) => ['number', 'string'].includes(typeof value), words: 'a number or a text' }],
]);

/**
 * The fields of a part of a spec that the part does not have, or that hold another type than it does, or that have
 * no effect beside others, up to a bound. Fields of
 * pods are the cluster's to judge.
 */
export function fieldProblems(value: unknown, part: string, path: string): FieldProblem[] {
  const found: FieldProblem[] = [];
  check(value, { name: part, in: 'itself' }, [{ path, part }], found);
  return found;
}

/** Why a part of a spec is refused for its fields; undefined if it is not. */
export function refusedField(value: unknown, part: string, path: string): SpecProblem | undefined {
  const refused = fieldProblems(value, part, path).find(({ isRefused }) => isRefused);
  if (!refused) return undefined;
  const { field, text, hint, remedy } = refused;
  return { field, text: `${text}; ${hint}`, remedy };
}

function sentence(hint: string): string {
  return `${hint.slice(0, 1).toUpperCase()}${hint.slice(1)}`;
}

/** Where a value stands: its own part last. */
type Place = readonly { readonly path: string; readonly part: string }[];

function check(value: unknown, type: FieldType, place: Place, found: FieldProblem[]): void {
  if (value === null || value === undefined || type.name === 'any' || found.length >= most) return;
  const path = place.at(-1)?.path ?? '';
  const scalar = type.in === 'itself' ? scalars.get(type.name) : undefined;
  if (type.in === 'list') checkItems(value, type, place, found);
  else if (scalar) {
    if (!scalar.is(value)) found.push(mismatch(path, scalar.words, value));
  } else if (typeof value !== 'object' || Array.isArray(value)) found.push(mismatch(path, 'an object', value));
  else if (type.in === 'map')
    for (const [name, item] of Object.entries(value)) inner(item, type.name, `${path}.${name}`, place, found);
  else checkFields(value, type, place, found);
}

function checkItems(value: unknown, { name }: FieldType, place: Place, found: FieldProblem[]): void {
  const path = place.at(-1)?.path ?? '';
  if (!Array.isArray(value)) found.push(mismatch(path, 'a list', value));
  else for (const [index, item] of value.entries()) inner(item, name, `${path}[${index}]`, place, found);
}

function checkFields(value: object, { name: part }: FieldType, place: Place, found: FieldProblem[]): void {
  const path = place.at(-1)?.path ?? '';
  const fields = fieldsOf(part);
  for (const [name, item] of Object.entries(value)) {
    const type = fields.get(name);
    if (type) check(item, type, [...place, { path: `${path}.${name}`, part: type.name }], found);
    else found.push(unknownField(name, [...fields.keys()], place));
  }
  for (const { field, says, remedy: hint } of withoutEffect(part, value))
    found.push({
      field: `${path}.${field}`,
      text: `${path}.${field} ${says}`,
      hint,
      remedy: sentence(hint),
      isRefused: false,
    });
}

function inner(value: unknown, part: string, path: string, place: Place, found: FieldProblem[]): void {
  check(value, { name: part, in: 'itself' }, [...place.slice(0, -1), { path, part }], found);
}

function unknownField(name: string, known: readonly string[], place: Place): FieldProblem {
  const path = place.at(-1)?.path ?? '';
  const field = `${path}.${name.slice(0, 60)}`;
  const text = `${field} is no field and has no effect`;
  const nearest = nearestName(name, known);
  if (nearest)
    return { field, text, hint: `did you mean ${nearest}?`, remedy: `Rename it to ${nearest}`, isRefused: true };
  const home = place.slice(0, -1).findLast(({ part }) => fieldsOf(part).has(name));
  return home
    ? { field, text, hint: `it belongs to ${home.path}`, remedy: `Move it to ${home.path}`, isRefused: false }
    : {
        field,
        text,
        hint: `there are ${[...known].sort().join(', ')}`,
        remedy: 'Correct or remove it',
        isRefused: false,
      };
}

/** YAML makes a boolean of `n` and `y`, and a number of `1`: what was meant is not known any more. */
function mismatch(field: string, wanted: string, value: unknown): FieldProblem {
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  const found = isScalar ? `the ${typeof value} ${value}` : wordsOf(value);
  const hint = wanted === 'a text' && isScalar ? 'quote it' : `write ${wanted}`;
  const text = `${field} is ${found}, it must be ${wanted}`;
  return { field, text, hint, remedy: sentence(hint), isRefused: true };
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : 'a text';
}
