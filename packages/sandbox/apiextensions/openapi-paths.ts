import type { Resource } from '@tiphys/apimachinery';
import { definitionName } from './definition-name.ts';

type Json = Record<string, unknown>;

interface Operation extends Json {
  description?: string;
  parameters?: Json[];
  consumes?: string[];
  produces?: string[];
  requestBody?: { content: Json };
  responses?: Record<string, { content?: Json }>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const TYPES = ['application/json', 'application/yaml'];
const ALL = '/apis/apps/v1/deployments';
const NAMESPACED = '/apis/apps/v1/namespaces/{namespace}/deployments';

/**
 * The paths of a custom resource in OpenAPI, as kube-apiserver tells them: those of Deployments, which have all that there
 * is, in the resource's names and media types. `builtin` are the paths of a document of either version that has them.
 */
export function customPaths(resource: Resource, builtin: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const list = (builtin[NAMESPACED] as { get: Operation }).get.parameters ?? [];
  for (const [path, item] of Object.entries(builtin)) {
    if (path !== NAMESPACED && !path.startsWith(`${NAMESPACED}/`) && !(path === ALL && resource.namespaced)) continue;
    const [, subresource] = /\{name\}\/(.*)$/.exec(path) ?? [];
    if (subresource && !resource.subresources.has(subresource)) continue;
    const own = JSON.parse(named(JSON.stringify({ path, item }), resource)) as { path: string; item: Json };
    result[own.path] = servedItem(own.item, { resource, path, list });
  }
  return result;
}

/** A text about Deployments as one about the resource. */
function named(text: string, { group, version, apiVersion, kind, plural, namespaced, ...rest }: Resource): string {
  const name = definitionName({ ...rest, group, version, kind });
  const of = `${identifier(group, true)}${identifier(version, true)}`;
  const renamed = text
    .replaceAll('io.k8s.api.apps.v1.Deployment', name)
    .replaceAll('AppsV1', of)
    .replaceAll('apps_v1', `${identifier(group, false)}_${identifier(version, false)}`)
    .replaceAll('"group":"apps"', `"group":${JSON.stringify(group)}`)
    .replaceAll('/apis/apps/v1/', `/apis/${apiVersion}/`)
    .replaceAll('deployments', plural)
    .replaceAll('name of the Scale', 'name of the Deployment')
    .replaceAll(/\bDeployment\b|(?<=[a-z0-9])Deployment/g, kind);
  if (namespaced) return renamed;
  return renamed
    .replaceAll('/namespaces/{namespace}', '')
    .replaceAll(`${of}Namespaced`, of)
    .replaceAll(`${of}CollectionNamespaced`, `${of}Collection`);
}

/** As operations are named: without what is no letter, with a capital behind it. */
function identifier(text: string, capital: boolean): string {
  const words = text.replace(/\.k8s\.io$/, '').split(/[^\p{L}\d_]+/u);
  return words.map((word, index) => (index || capital ? word.charAt(0).toUpperCase() + word.slice(1) : word)).join('');
}

function servedItem(
  item: Json,
  { resource, path, list }: { resource: Resource; path: string; list: Json[] },
): Record<string, unknown> {
  const single = path.includes('{name}');
  const { group, version, kind } = resource;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    if (key === 'parameters')
      result[key] = resource.namespaced ? value : (value as Json[]).filter((parameter) => !isNamespace(parameter));
    else if (!METHODS.includes(key)) result[key] = value;
    else {
      const operation = served(value as Operation, key);
      if (single && key === 'get') operation.parameters = list.filter(isVersion);
      if (!single && key === 'delete') {
        delete operation.requestBody;
        operation.parameters = list;
      }
      result[key] = { ...operation, 'x-kubernetes-group-version-kind': { group, kind, version } };
    }
  }
  return result;
}

const isNamespace = ({ name, $ref }: Json) =>
  name === 'namespace' || String($ref).startsWith('#/parameters/namespace-');
const isVersion = ({ name, $ref }: Json) =>
  name === 'resourceVersion' || /^#\/parameters\/resourceVersion-/.test(String($ref));

/** In the media types of custom resources, and what these types can do. */
function served(operation: Operation, method: string): Operation {
  const result = { ...operation };
  const { description, consumes, produces, requestBody, responses = {} } = operation;
  if (description) result.description = description.replace('list or watch', 'list');
  if (consumes) result.consumes = method === 'patch' ? consumes.filter((type) => !type.includes('strategic')) : TYPES;
  if (produces) result.produces = TYPES;
  if (requestBody) result.requestBody = { ...requestBody, content: accepted(requestBody.content) };
  result.responses = Object.fromEntries(
    Object.entries(responses)
      .filter(([code]) => method !== 'patch' || code !== '201')
      .map(([code, { content, ...answer }]) => [code, content ? { ...answer, content: written(content) } : answer]),
  );
  return result;
}

function accepted(content: Json): Json {
  const { '*/*': any, 'application/strategic-merge-patch+json': _, ...types } = content;
  return any ? Object.fromEntries(TYPES.map((type) => [type, any])) : types;
}

const written = (content: Json): Json => Object.fromEntries(TYPES.map((type) => [type, content[type]]));
