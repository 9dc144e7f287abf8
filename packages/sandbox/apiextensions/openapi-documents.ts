import type { Resource, Schema } from '@tiphys/apimachinery';
import { definitionName } from './definition-name.ts';
import { customPaths } from './openapi-paths.ts';
import { CONVENTIONS, publishedSchema, publishedSchemaV2, reference, typeMeta } from './published-schema.ts';

const gvkOf = ({ group, version, kind }: Resource) => ({ group, version, kind });

/** What is taken of the document of a built-in group. */
export interface OpenApiDocument {
  readonly paths: Record<string, unknown>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

/** The OpenAPI v3 document of one group version of custom resources. `builtin` is that of apps/v1. */
export function customDocument(resources: readonly Resource[], builtin: OpenApiDocument): unknown {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, unknown> = {};
  for (const resource of resources) {
    const { schema } = resource;
    if (!schema) continue;
    const name = definitionName(resource);
    const more = { 'x-kubernetes-group-version-kind': [gvkOf(resource)], ...selectable(resource) };
    schemas[name] = { ...publishedSchema(schema), ...more };
    schemas[`${name}List`] = listSchema(resource, '#/components/schemas/');
    Object.assign(paths, customPaths(resource, builtin.paths));
  }
  addReferenced(schemas, builtin.components.schemas, paths);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths,
    components: { schemas },
  };
}

/** A kind's definitions in the OpenAPI v2 document. */
export function v2Definitions(resource: Resource, schema: Schema): [name: string, Record<string, unknown>][] {
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const name = definitionName(resource);
  const own = open ? { type: 'object' } : publishedSchemaV2(schema);
  return [
    [name, { ...own, 'x-kubernetes-group-version-kind': [gvkOf(resource)], ...selectable(resource) }],
    [`${name}List`, listSchema(resource, '#/definitions/')],
  ];
}

function listSchema(resource: Resource, definitions: string): Record<string, unknown> {
  const meta = {
    description: `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`,
    ...reference(`${definitions}io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta`),
  };
  return {
    description: `${resource.listKind} is a list of ${resource.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      metadata: meta,
      items: {
        description: `List of ${resource.plural}. More info: ${CONVENTIONS}`,
        type: 'array',
        items: { $ref: `${definitions}${definitionName(resource)}` },
      },
    },
    'x-kubernetes-group-version-kind': [{ ...gvkOf(resource), kind: resource.listKind }],
    ...selectable(resource),
  };
}

/** The fields by which a kind's objects can be chosen. */
function selectable({ strategy }: Resource): object {
  const fields = Object.keys(strategy.fields?.({ apiVersion: '', kind: '', metadata: {} }) ?? {});
  const own = fields.filter((field) => !field.startsWith('metadata.'));
  return own.length ? { 'x-kubernetes-selectable-fields': own.map((fieldPath) => ({ fieldPath })) } : {};
}

/** Adds the built-in schemas that the others and the paths refer to. */
function addReferenced(schemas: Record<string, unknown>, builtin: Record<string, unknown>, by: unknown = {}): void {
  for (const [, name = ''] of JSON.stringify([schemas, by]).matchAll(/#\/components\/schemas\/([^"]+)/g)) {
    if (schemas[name] || !builtin[name]) continue;
    schemas[name] = shown(builtin[name] as Schema);
    addReferenced(schemas, builtin);
  }
}

/** The kinds of options that the server of definitions knows: not those of its own group, nor of its neighbours. */
function shown(schema: Schema): Schema {
  const kinds = schema['x-kubernetes-group-version-kind'] as { group: string }[] | undefined;
  return kinds
    ? { ...schema, 'x-kubernetes-group-version-kind': kinds.filter(({ group }) => !NEIGHBOURS.has(group)) }
    : schema;
}

const NEIGHBOURS = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
]);
