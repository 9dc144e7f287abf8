import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { t } from '../i18n/texts.ts';

/** What of a CustomResourceDefinition's schema says which fields there are. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

export interface Mistake {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** The schema below keys, items of lists among them; undefined where it says nothing. */
export function schemaAt(root: Schema, path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = itemOf(root);
  for (const key of path) schema = itemOf(schema && fieldOf(schema, key));
  return schema;
}

function itemOf(schema: Schema | undefined): Schema | undefined {
  return schema?.type === 'array' ? itemOf(schema.items) : schema;
}

function fieldOf({ properties = {}, additionalProperties }: Schema, key: string): Schema | undefined {
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Fields of a YAML text that a schema does not have, values of another type, and what is missing, where they are. */
export function schemaMistakes(text: string, root: Schema): Mistake[] {
  const mistakes: Mistake[] = [];
  const { contents, errors } = parseDocument(text);
  if (errors.length > 0 || !contents) return mistakes;
  const open: { node: Node; schema: Schema; isRoot: boolean }[] = [{ node: contents, schema: root, isRoot: true }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, schema, isRoot } = next;
    const tell = (message: string, at: Node = node) => {
      const [from, to] = at.range ?? [0, 0];
      mistakes.push({ from, to, message });
    };
    const wrong = typeMistake(node, schema);
    if (wrong) tell(wrong);
    else if (isSeq<Node>(node) && schema.items)
      open.push(...node.items.map((item) => ({ node: item, schema: schema.items as Schema, isRoot: false })));
    else if (isMap<Node, Node | null>(node)) {
      const keys = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
      // what a template of the whole document lacks is reported by the form
      const missing = isRoot ? [] : (schema.required ?? []).filter((name) => !keys.includes(name));
      if (missing.length > 0) tell(t('{fields} must be given', { fields: missing.join(', ') }));
      for (const [index, { key, value }] of node.items.entries()) {
        const inner = fieldOf(schema, keys[index] ?? '');
        if (inner && value) open.push({ node: value, schema: inner, isRoot: false });
        else if (!inner && isClosed(schema)) tell(t('There is no field {name}', { name: keys[index] ?? '' }), key);
      }
    }
  }
  return mistakes.sort((a, b) => a.from - b.from);
}

function isClosed(schema: Schema): boolean {
  return (
    schema.properties !== undefined &&
    schema.additionalProperties === undefined &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true
  );
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function typeMistake(node: Node, { type, enum: values, ...schema }: Schema): string | undefined {
  const value = isScalar(node) ? node.value : undefined;
  if ((isScalar(node) && value === null) || schema['x-kubernetes-int-or-string']) return undefined;
  const found = isMap(node) ? 'object' : isSeq(node) ? 'array' : typeof value;
  const fits =
    type === undefined ||
    found === type ||
    (found === 'number' && (type === 'number' || (type === 'integer' && Number.isInteger(value)))) ||
    !Object.hasOwn(typeNames, type);
  if (!fits) return t('This must be {type}', { type: t(typeNames[type ?? ''] ?? '') });
  if (values && !values.includes(value)) return t('This must be one of {values}', { values: values.join(', ') });
  return undefined;
}

/** Where somebody writes in a YAML text: below which keys, and of which field the value, if it is one. */
export interface Place {
  readonly path: readonly string[];
  readonly field: string | undefined;
  /** What is written of the key or the value. */
  readonly written: string;
}

interface Line {
  /** Column of the first dash; undefined without one. */
  readonly dash: number | undefined;
  /** Column of what is behind dashes. */
  readonly column: number;
  readonly text: string;
}

function lineOf(line: string): Line {
  let column = line.length - line.trimStart().length;
  const dash = line.startsWith('- ', column) ? column : undefined;
  while (line.startsWith('- ', column)) column += 2;
  return { dash, column, text: line.slice(column) };
}

/** The place at an offset, by the columns of the lines above. */
export function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n').map(lineOf);
  const current = lines.pop() as Line;
  const colon = current.text.indexOf(': ');
  const field = colon < 0 ? undefined : current.text.slice(0, colon);
  const path: string[] = [];
  let below = current.dash === undefined ? current.column : current.dash + 1;
  for (const { dash, column, text: content } of lines.reverse()) {
    const end = content.indexOf(':');
    if (end <= 0 || content.startsWith('#') || column > below) continue;
    if (column < below) path.unshift(content.slice(0, end));
    // an item's first field stands beside its dash, and what has the list is left of that
    if (column < below || dash !== undefined) below = dash === undefined ? column : dash + 1;
  }
  return { path, field, written: colon < 0 ? current.text : current.text.slice(colon + 2).trimStart() };
}

/** A schema of a cluster's OpenAPI: it names others. */
interface NamedSchema extends Omit<Schema, 'properties' | 'items' | 'additionalProperties'> {
  readonly $ref?: string;
  readonly allOf?: readonly NamedSchema[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, NamedSchema>>;
  readonly items?: NamedSchema;
  readonly additionalProperties?: NamedSchema | boolean;
}

/** What the API tells of a kind. */
export interface KindSchema {
  readonly root: string;
  readonly definitions: Readonly<Record<string, NamedSchema>>;
}

/** The schema of a kind with those that it names in their places; one that contains itself does so here, too. */
export function linkedSchema({ root, definitions }: KindSchema): Schema {
  const known = new Map(Object.entries(definitions));
  const done = new Map<NamedSchema, Schema>();
  const link = (schema: NamedSchema): Schema => {
    const ready = done.get(schema);
    if (ready) return ready;
    const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
    const target = ref === undefined ? undefined : known.get(ref.slice(ref.lastIndexOf('/') + 1));
    // one that is being linked stands further up: it is whole when all is linked
    const above = target && done.get(target);
    if (above) return above;
    const { $ref: _, allOf: __, properties, items, additionalProperties, ...rest } = schema;
    const linked: { -readonly [K in keyof Schema]: Schema[K] } = { ...rest };
    done.set(schema, linked);
    if (target) Object.assign(linked, link(target), rest);
    if (schema.format === 'int-or-string') linked['x-kubernetes-int-or-string'] = true;
    if (properties)
      linked.properties = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, link(inner)]));
    if (items) linked.items = link(items);
    if (additionalProperties !== undefined)
      linked.additionalProperties =
        typeof additionalProperties === 'object' ? link(additionalProperties) : additionalProperties;
    return linked;
  };
  const start = known.get(root);
  return start ? link(start) : {};
}
