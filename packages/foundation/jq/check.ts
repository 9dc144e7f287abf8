import { functions } from './functions.ts';
import { prelude } from './prelude.ts';
import type { Definition, Pattern, Query } from './tree.ts';

const own = ['empty/0', 'error/0', 'path/1', 'getpath/1', 'limit/2', 'last/1'];

interface Names {
  readonly functions: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
}

/** The first name in a program that stands for nothing; undefined if there is none. Without a clock there is no `now`. */
export function unknownName(query: Query, { hasClock = false } = {}): string | undefined {
  const known = [...own, ...Object.keys(functions), ...prelude().map(idOf)].filter((id) => hasClock || id !== 'now/0');
  return unknown(query, { functions: new Set(known), variables: new Set(['$ENV']) });
}

const idOf = ({ name, parameters }: Definition) => `${name}/${parameters.length}`;

function unknown(query: Query, names: Names): string | undefined {
  switch (query.kind) {
    case 'call': {
      const id = `${query.name}/${query.parameters.length}`;
      return names.functions.has(id) ? first(query.parameters, names) : `there is no function ${id}`;
    }
    case 'variable':
    case 'break':
      return names.variables.has(query.name) ? undefined : `there is no variable ${query.name}`;
    case 'label':
      return unknown(query.body, withVariables(names, [query.name]));
    case 'bind':
      return unknown(query.source, names) ?? unknown(query.body, withVariables(names, bound(query.pattern)));
    case 'reduce':
    case 'foreach': {
      const inner = withVariables(names, bound(query.pattern));
      const extract = query.kind === 'foreach' && query.extract ? [query.extract] : [];
      return first([query.source, query.start], names) ?? first([query.update, ...extract], inner);
    }
    case 'define':
      return defined(query.definition, query.body, names);
    default:
      return first(Object.values(query).flatMap(parts), names);
  }
}

function defined(definition: Definition, body: Query, names: Names): string | undefined {
  const { parameters } = definition;
  const outer: Names = { ...names, functions: new Set([...names.functions, idOf(definition)]) };
  const closures = parameters.map((name) => `${name.replace('$', '')}/0`);
  const inner = withVariables({ ...outer, functions: new Set([...outer.functions, ...closures]) }, parameters);
  return unknown(definition.body, inner) ?? unknown(body, outer);
}

function withVariables(names: Names, variables: readonly string[]): Names {
  return { ...names, variables: new Set([...names.variables, ...variables]) };
}

function bound(pattern: Pattern): string[] {
  if (pattern.kind === 'name') return [pattern.name];
  if (pattern.kind === 'list') return pattern.items.flatMap(bound);
  return pattern.fields.flatMap(({ name, pattern: inner }) => [
    ...(name ? [name] : []),
    ...(inner ? bound(inner) : []),
  ]);
}

function first(queries: readonly Query[], names: Names): string | undefined {
  for (const query of queries) {
    const found = unknown(query, names);
    if (found) return found;
  }
  return undefined;
}

/** The programs that a field of a node holds. */
function parts(value: unknown): Query[] {
  if (Array.isArray(value)) return value.flatMap(parts);
  if (typeof value !== 'object' || value === null) return [];
  if ('kind' in value) return [value as Query];
  return 'key' in value && 'value' in value ? [value.key as Query, value.value as Query] : [];
}
