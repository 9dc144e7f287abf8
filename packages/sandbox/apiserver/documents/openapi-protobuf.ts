/** Writes OpenAPI v2 definitions as the protobuf that client-go reads: a Document with nothing but `definitions`. */
export function encodeDefinitions(definitions: Record<string, Record<string, unknown>>): Buffer {
  const named = Object.entries(definitions).map(([name, schema]) => message(1, namedSchema(name, schema)));
  return named.length ? message(9, Buffer.concat(named)) : Buffer.alloc(0);
}

type Schema = Record<string, unknown>;

/** Numbers of the fields of `openapi.v2.Schema`. */
const FIELD = {
  $ref: 1,
  format: 2,
  title: 3,
  description: 4,
  pattern: 13,
  required: 19,
  additionalProperties: 21,
  type: 22,
  items: 23,
  allOf: 24,
  properties: 25,
  extension: 31,
};

function encodeSchema(schema: Schema): Buffer {
  const parts: Buffer[] = [];
  for (const key of ['$ref', 'format', 'title', 'description', 'pattern'] as const) {
    const value = schema[key];
    if (typeof value === 'string') parts.push(text(FIELD[key], value));
  }
  for (const name of (schema.required ?? []) as string[]) parts.push(text(FIELD.required, name));
  const { additionalProperties, items, allOf } = schema;
  if (typeof additionalProperties === 'boolean')
    parts.push(message(FIELD.additionalProperties, Buffer.from([0x10, additionalProperties ? 1 : 0])));
  else if (isSchema(additionalProperties))
    parts.push(message(FIELD.additionalProperties, message(1, encodeSchema(additionalProperties))));
  if (typeof schema.type === 'string') parts.push(message(FIELD.type, text(1, schema.type)));
  if (isSchema(items)) parts.push(message(FIELD.items, message(1, encodeSchema(items))));
  for (const part of (allOf ?? []) as Schema[]) parts.push(message(FIELD.allOf, encodeSchema(part)));
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (properties.length)
    parts.push(
      message(
        FIELD.properties,
        Buffer.concat(properties.map(([name, property]) => message(1, namedSchema(name, property)))),
      ),
    );
  for (const [key, value] of Object.entries(schema)) {
    if (!key.startsWith('x-')) continue;
    // JSON is YAML.
    parts.push(message(FIELD.extension, Buffer.concat([text(1, key), message(2, text(2, JSON.stringify(value)))])));
  }
  return Buffer.concat(parts);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namedSchema(name: string, schema: Schema): Buffer {
  return Buffer.concat([text(1, name), message(2, encodeSchema(schema))]);
}

function text(field: number, value: string): Buffer {
  return message(field, Buffer.from(value));
}

function message(field: number, content: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
