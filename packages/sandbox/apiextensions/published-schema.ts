import type { Schema } from '@tiphys/apimachinery';

export const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const DESCRIPTION = `Standard object's metadata. More info: ${CONVENTIONS}#metadata`;

/** As a property with a description refers to another schema: version 3 allows nothing beside a reference. */
export const reference = (to: string): Schema =>
  to.startsWith('#/components/') ? { allOf: [{ $ref: to }] } : { $ref: to };

const metadataV3: Schema = { description: DESCRIPTION, ...reference(`#/components/schemas/${META}`) };
const metadataV2: Schema = { description: DESCRIPTION, ...reference(`#/definitions/${META}`) };

/** The properties that every object has beside its metadata. */
export const typeMeta: Record<string, Schema> = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`,
    type: 'string',
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
    type: 'string',
  },
};

/** The schema as OpenAPI v3 shows it: with apiVersion, kind and metadata, also of the resources that are embedded. */
export function publishedSchema(schema: Schema): Schema {
  return withTypeMeta(withEmbedded(schema, metadataV3), metadataV3);
}

/**
 * The same in the terms of OpenAPI v2, with what kubectl cannot read of it left out: alternatives, and all types of what
 * may be null or hold anything.
 */
export function publishedSchemaV2(schema: Schema): Schema {
  return withTypeMeta(withEmbedded(toV2(schema), metadataV2), metadataV2);
}

const withTypeMeta = (schema: Schema, metadata: Schema): Schema => ({
  ...schema,
  type: 'object',
  properties: { ...schema.properties, ...typeMeta, metadata },
});

function withEmbedded({ example: _, externalDocs: __, ...schema }: Schema, metadata: Schema): Schema {
  const { items, properties, additionalProperties } = schema;
  const inside = (each: Schema) => withEmbedded(each, metadata);
  const shown: Schema = {
    ...schema,
    ...(items ? { items: inside(items) } : {}),
    ...(properties ? { properties: mapped(properties, inside) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: inside(additionalProperties) } : {}),
  };
  if (!schema['x-kubernetes-embedded-resource']) return shown;
  // kubectl would refuse whatever else there is
  if (schema['x-kubernetes-preserve-unknown-fields'] && metadata === metadataV2) return shown;
  const required = schema.required ?? [];
  return {
    ...shown,
    properties: {
      ...shown.properties,
      apiVersion: {
        description: `apiVersion defines the versioned schema of this representation of an object. More info: ${CONVENTIONS}#resources`,
        type: 'string',
      },
      kind: {
        description: `kind is a string value representing the type of this object. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
        type: 'string',
      },
      metadata,
    },
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  };
}

function toV2({ allOf: _, anyOf: __, oneOf: ___, not: ____, default: _____, nullable, ...schema }: Schema): Schema {
  const { items, properties, type, required, additionalProperties, ...rest } = schema;
  const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const open = nullable === true || keeps;
  const typed = !nullable && !(type === 'array' && (open || !items)) && !(type === 'object' && keeps);
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const wanted = values?.nullable ? [] : (required ?? []).filter((name) => open || !properties?.[name]?.nullable);
  return {
    ...rest,
    ...(typed && type !== undefined ? { type } : {}),
    ...(wanted.length ? { required: wanted } : {}),
    ...(items && !open ? { items: toV2(items) } : {}),
    ...(properties && !open ? { properties: mapped(properties, toV2) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: values ? toV2(values) : additionalProperties }),
  };
}

function mapped(properties: Record<string, Schema>, change: (schema: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, change(property)]));
}
