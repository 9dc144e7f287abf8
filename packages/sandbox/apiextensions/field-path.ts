import type { Schema } from '@tiphys/apimachinery';

/** Follows a path like `.spec['a'].b` through a schema: the schema that it ends at, or what is wrong with it. */
export function validFieldPath(
  path: string,
  schema: Schema,
  options: { arrays?: boolean } = {},
): { schema: Schema; first: string } | { problem: string } {
  const tokens = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g) ?? [];
  let current = schema;
  let first = '';
  for (let index = 0; index < tokens.length; index++) {
    let name: string | undefined;
    if (tokens[index] === '[') {
      if (options.arrays === false) return { problem: 'array notation is not allowed' };
      name = tokens[index + 1];
      if (name === undefined) return { problem: 'unexpected end of JSON path' };
      if (!/^'.*'$/s.test(name)) return { problem: `expected single quoted string but got ${name}` };
      name = name.slice(1, -1).replace(/\\(.)/g, '$1');
      if (tokens[index + 2] === undefined) return { problem: 'unexpected end of JSON path' };
      if (tokens[index + 2] !== ']') return { problem: `expected ] but got ${tokens[index + 2]}` };
      index += 2;
    } else if (tokens[index] === '.') {
      name = tokens[index + 1];
      if (name === undefined) return { problem: 'unexpected end of JSON path' };
      index += 1;
    } else return { problem: `expected [ or . but got: ${tokens[index]}` };
    const next: Schema | boolean | undefined = current.properties
      ? current.properties[name]
      : current.additionalProperties;
    if (typeof next !== 'object') return { problem: 'does not refer to a valid field' };
    first ||= name;
    current = next;
  }
  return { schema: current, first };
}
