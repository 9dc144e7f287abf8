import type { Resource } from '../machinery/resource.ts';
import { publishedSchema } from './custom-resource.ts';
import type { Schema } from './definition.ts';

/** Name of a kind's schema: the group backwards, `com.example.v1.Thing`. */
export function definitionName({ group, version, kind }: Pick<Resource, 'group' | 'version' | 'kind'>): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

const gvkOf = ({ group, version, kind }: Resource) => ({ group, version, kind });

const parameter = (name: string, description: string, type = 'string') => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});

const WRITE = [
  parameter(
    'dryRun',
    'When present, indicates that modifications should not be persisted. Valid values are: - All: all dry run stages will be processed',
  ),
  parameter('fieldManager', 'fieldManager is a name associated with the actor or entity that is making these changes.'),
  parameter(
    'fieldValidation',
    'fieldValidation instructs the server on how to handle objects in the request containing unknown or duplicate fields. Valid values are: - Ignore - Warn - Strict',
  ),
];

/** The OpenAPI v3 document of one group version of custom resources. `builtin` are the schemas of core/v1. */
export function customDocument(resources: readonly Resource[], builtin: Record<string, unknown>): unknown {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, unknown> = {};
  for (const resource of resources) {
    const { schema } = resource;
    if (!schema) continue;
    const name = definitionName(resource);
    schemas[name] = { ...publishedSchema(schema), 'x-kubernetes-group-version-kind': [gvkOf(resource)] };
    schemas[`${name}List`] = listSchema(resource, name);
    Object.assign(paths, pathsOf(resource, name));
  }
  addReferenced(schemas, builtin);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths,
    components: { schemas },
  };
}

function listSchema(resource: Resource, name: string): unknown {
  return {
    description: `${resource.kind}List is a list of ${resource.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' }] },
      items: { type: 'array', items: { allOf: [{ $ref: `#/components/schemas/${name}` }] } },
    },
    'x-kubernetes-group-version-kind': [{ ...gvkOf(resource), kind: resource.listKind }],
  };
}

function pathsOf(resource: Resource, name: string): Record<string, unknown> {
  const base = `/apis/${resource.apiVersion}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;
  const content = (type: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${type}` } } });
  const operation = (action: string, type: string, extra: object = {}) => ({
    tags: [resource.group],
    responses: { 200: { description: 'OK', content: content(type) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(resource),
    ...extra,
  });
  const body = { requestBody: { content: content(name) }, parameters: WRITE };
  const patchBody = {
    requestBody: {
      content: Object.fromEntries(
        ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'].map((type) => [
          type,
          { schema: { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Patch' } },
        ]),
      ),
    },
    parameters: WRITE,
  };
  const item = {
    get: operation('get', name),
    put: operation('put', name, body),
    patch: operation('patch', name, patchBody),
  };
  const subresources = [...resource.subresources.keys()].filter((subresource) => subresource === 'status');
  return {
    [base]: { get: operation('list', `${name}List`), post: operation('post', name, body) },
    [`${base}/{name}`]: { ...item, delete: operation('delete', 'io.k8s.apimachinery.pkg.apis.meta.v1.Status') },
    ...Object.fromEntries(subresources.map((subresource) => [`${base}/{name}/${subresource}`, item])),
  };
}

/** Adds the built-in schemas that the others refer to. */
function addReferenced(schemas: Record<string, unknown>, builtin: Record<string, unknown>): void {
  const wanted = [...JSON.stringify(schemas).matchAll(/#\/components\/schemas\/([^"]+)/g)].map(
    (match) => match[1] as string,
  );
  wanted.push('io.k8s.apimachinery.pkg.apis.meta.v1.Patch', 'io.k8s.apimachinery.pkg.apis.meta.v1.Status');
  for (const name of wanted) {
    if (schemas[name] || !builtin[name]) continue;
    schemas[name] = builtin[name];
    addReferenced(schemas, builtin);
  }
}

const V3_ONLY = new Set(['oneOf', 'anyOf', 'not', 'nullable', 'default']);

/** The schema in the terms of OpenAPI v2, which has no alternatives. */
export function v2Definition(resource: Resource, schema: Schema): Record<string, unknown> {
  const published = publishedSchema(schema);
  const description = published.properties?.metadata?.description;
  const metadata: Schema = {
    ...(description ? { description } : {}),
    $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  };
  const properties = { ...published.properties, metadata };
  return {
    ...(toV2({ ...published, properties }) as Record<string, unknown>),
    'x-kubernetes-group-version-kind': [gvkOf(resource)],
  };
}

function toV2(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toV2);
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (V3_ONLY.has(key) || item === undefined) continue;
    if (key === 'properties')
      result[key] = Object.fromEntries(
        Object.entries(item as object).map(([name, property]) => [name, toV2(property)]),
      );
    else result[key] = toV2(item);
  }
  return result;
}
