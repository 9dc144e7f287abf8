import type { Schema } from '@tiphys/apimachinery';
import type { SizeAt } from '@tiphys/cel';
import { escapeName, withTypeAndMeta } from './cel-schema.ts';

const MAX_REQUEST = 3 * 1024 * 1024;

/** How large values of a schema can be, and how small they can be written. */
interface Sizes {
  /** Of texts in bytes, of lists and maps in elements. */
  readonly max: number;
  /** The fewest bytes of JSON. */
  readonly least: number;
  readonly element?: Sizes;
  readonly key?: Sizes;
  readonly fields?: ReadonlyMap<string, Sizes>;
}

const TEXTS: Readonly<Record<string, { least: number; max: number }>> = {
  duration: { least: 3, max: 32 },
  date: { least: 12, max: 12 },
  'date-time': { least: 21, max: 32 },
};
const SCALARS: Readonly<Record<string, number>> = { boolean: 4, number: 1, integer: 1 };
const KEY: Sizes = { max: 0, least: 2 };
const positive = (value: number): number => Math.max(value, 0);

/** The sizes that a schema promises; undefined for what rules can't see. */
function sizesOf(schema: Schema, resource = schema['x-kubernetes-embedded-resource'] === true): Sizes | undefined {
  const { type, maxLength, format = '' } = schema;
  const unbounded = MAX_REQUEST - 2;
  if (schema['x-kubernetes-int-or-string'])
    return { least: 1, max: maxLength === undefined ? unbounded : positive(maxLength) * 4 };
  if (type === 'array') {
    const element = schema.items && sizesOf(schema.items);
    const max = schema.maxItems ?? Math.floor(unbounded / ((element?.least ?? 0) + 1));
    return element && { least: 2, max: positive(max), element };
  }
  if (type === 'object') return objectSizes(resource ? withTypeAndMeta(schema) : schema);
  if (type === 'string') {
    const timed = TEXTS[format];
    if (timed) return timed;
    if (maxLength !== undefined) return { least: 2, max: positive(maxLength) * (format === 'byte' ? 1 : 4) };
    const texts = (schema.enum ?? [])
      .filter((value) => typeof value === 'string')
      .map((text) => Buffer.byteLength(text));
    return { least: 2, max: schema.enum?.length && format !== 'byte' ? Math.max(0, ...texts) : unbounded };
  }
  const least = SCALARS[type ?? ''];
  return least === undefined ? undefined : { least, max: 0 };
}

function objectSizes(schema: Schema): Sizes | undefined {
  if (typeof schema.additionalProperties === 'object') {
    const element = sizesOf(schema.additionalProperties);
    const max = schema.maxProperties ?? Math.floor((MAX_REQUEST - 2) / ((element?.least ?? 0) + 6));
    return element && { least: 2, max: positive(max), element, key: KEY };
  }
  const fields = new Map<string, Sizes>();
  let least = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const sizes = sizesOf(property);
    if (!sizes) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, sizes);
    if (schema.required?.includes(name) && property.default === undefined) least += name.length + sizes.least + 4;
  }
  return { least, max: 0, fields };
}

/** The sizes of values of a schema for the estimate of what its rules cost, and how often one may be in an object. */
export function schemaSizes(schema: Schema, root: boolean): { sizeAt: SizeAt; count: number } {
  const sizes = sizesOf(schema, root || schema['x-kubernetes-embedded-resource'] === true);
  const sizeAt: SizeAt = ([, ...path]) => {
    let current = sizes;
    for (const part of path) {
      if (part === '@items' || part === '@values') current = current?.element;
      else if (part === '@keys') current = current?.key;
      else current = current?.fields?.get(part);
    }
    return current && { min: 0, max: current.max };
  };
  return { sizeAt, count: Math.floor(MAX_REQUEST / ((sizes?.least ?? 0) + 1)) };
}

/** How many parts a schema's values have at most, by its own words; undefined when it does not tell. */
export function elementCount({ type, additionalProperties, maxProperties, maxItems }: Schema): number | undefined {
  if (type === 'object' && additionalProperties !== undefined)
    return maxProperties === undefined ? undefined : positive(maxProperties);
  if (type === 'array') return maxItems === undefined ? undefined : positive(maxItems);
  return 1;
}
