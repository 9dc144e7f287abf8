import type { OpenApiSchema } from '@tiphys/kubernetes';
import type { Step } from '../conformance/run-case.ts';
import type { Choices } from './choices.ts';
import type { FuzzKind } from './kinds.ts';
import { type Change, changed, changeOf, isMap, type Json, oddValue, resolved } from './values.ts';

/** One write of a random owner to one of few objects, so that writes meet. */
export function writeOf(choices: Choices, kind: FuzzKind): Step {
  const verb = choices.pick([
    'create',
    'create',
    'apply',
    'apply',
    'apply',
    'update',
    'merge',
    'json',
    'strategic',
    'delete',
    'merge',
    'create',
    'update',
    'apply',
  ] as const);
  const name = `${kind.clusterWide ? '{ns}-' : ''}${choices.pick(['a', 'a', 'a', 'a', 'b'])}`;
  const target: Target = { kind, name, query: queryOf(choices, verb) };
  switch (verb) {
    case 'create':
      return create(choices, target);
    case 'update':
      return update(choices, target);
    case 'apply':
      return apply(choices, target);
    case 'delete':
      return remove(choices, target);
    case 'json':
      return jsonPatch(choices, target);
    default:
      return mergePatch(choices, target, verb);
  }
}

interface Target {
  readonly kind: FuzzKind;
  readonly name: string;
  readonly query: URLSearchParams;
}

function queryOf(choices: Choices, verb: string): URLSearchParams {
  const query = new URLSearchParams();
  if (verb === 'apply') {
    if (!choices.chance(2)) query.set('fieldManager', choices.pick(['one', 'two', 'kubectl']));
    if (choices.chance(40)) query.set('force', 'true');
  } else if (choices.chance(40)) query.set('fieldManager', choices.pick(['one', 'two', 'three']));
  if (choices.chance(8)) query.set('dryRun', 'All');
  if (choices.chance(30)) query.set('fieldValidation', choices.pick(['Strict', 'Ignore', 'Warn']));
  return query;
}

const url = (path: string, query: URLSearchParams) => (query.size ? `${path}?${query}` : path);

/** What is mostly right: the base with its name and up to three changes. */
function objectOf(choices: Choices, { kind, name }: Target, changes = choices.pick([0, 1, 1, 2, 3])): Json {
  const { base, schema } = kind;
  const metadata = isMap(base.metadata) ? base.metadata : {};
  const typed = choices.chance(kind.custom ? 3 : 20) ? {} : { apiVersion: kind.apiVersion, kind: kind.kind };
  let object: Json = { ...typed, ...base, metadata: { name, ...metadata } };
  for (let left = changes; left > 0; left--) object = changed(object, changeOf(choices, object, schema));
  return isMap(object) ? object : {};
}

function create(choices: Choices, target: Target): Step {
  const { kind, query } = target;
  const object = objectOf(choices, target);
  if (choices.chance(5) && isMap(object) && isMap(object.metadata)) {
    delete object.metadata.name;
    object.metadata.generateName = 'generated-';
  }
  return { method: 'POST', path: url(kind.path, query), body: kind.kind === 'Service' ? allocatable(object) : object };
}

/** kube-apiserver tries 65,000 addresses in turn for a Service whose name no address can refer to. */
function allocatable(object: Json): Json {
  if (!isMap(object) || !isMap(object.metadata)) return object;
  const { name, generateName } = object.metadata;
  const fits = typeof name === 'string' ? name !== '' && !name.includes('/') : generateName === 'generated-';
  return fits ? object : { ...object, metadata: { ...object.metadata, name: 'a' } };
}

function update(choices: Choices, target: Target): Step {
  const { kind, name, query } = target;
  const subresource = subresourceOf(choices, kind);
  let body: Json = subresource === '/scale' ? scaleOf(choices, name) : objectOf(choices, target);
  if (subresource === '/status' && isMap(body)) body = { ...body, ...statusOf(choices, kind) };
  if ((kind.custom || choices.chance(30)) && !choices.chance(10) && isMap(body) && isMap(body.metadata))
    body = { ...body, metadata: { ...body.metadata, resourceVersion: '{resourceVersion}' } };
  return { method: 'PUT', path: url(`${kind.path}/${name}${subresource}`, query), body };
}

function subresourceOf(choices: Choices, { subresources }: FuzzKind): string {
  return subresources.length && choices.chance(25) ? `/${choices.pick(subresources)}` : '';
}

function scaleOf(choices: Choices, name: string): Json {
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name },
    spec: { replicas: choices.pick<Json>([1, 0, 2, -1, '1', null]) },
  };
}

function statusOf(choices: Choices, { schema }: FuzzKind): { [key: string]: Json } {
  let object: Json = { status: {} };
  const only = { type: 'object', properties: { status: schema.properties?.status ?? {} } };
  for (let left = choices.pick([1, 2]); left > 0; left--) object = changed(object, changeOf(choices, object, only));
  return isMap(object) ? object : {};
}

function apply(choices: Choices, target: Target): Step {
  const { kind, name, query } = target;
  const subresource = subresourceOf(choices, kind);
  const typed = { apiVersion: kind.apiVersion, kind: kind.kind };
  let body: Json;
  // An apply of a custom resource's scale fails in kube-apiserver too, in one of several ways.
  if (subresource === '/scale' && kind.custom)
    return apply(choices, { ...target, kind: { ...kind, subresources: [] } });
  if (subresource === '/scale') body = scaleOf(choices, name);
  else if (subresource === '/status') body = { ...typed, metadata: { name }, ...statusOf(choices, kind) };
  else if (choices.chance(50)) body = { ...typed, metadata: { name }, ...sparse(choices, kind) };
  else body = { ...(objectOf(choices, target) as object), ...typed };
  return {
    method: 'PATCH',
    path: url(`${kind.path}/${name}${subresource}`, query),
    body,
    contentType: 'application/apply-patch+yaml',
  };
}

/** A few fields only, each with what its list needs to find it. */
function sparse(choices: Choices, { base, schema, subresources }: FuzzKind): { [key: string]: Json } {
  let result: Json = {};
  const known = { metadata: {}, ...base };
  for (let left = choices.pick([1, 2, 3]); left > 0; left--) {
    const change = changeOf(choices, known, schema);
    if (change.place[0] === 'apiVersion' || change.place[0] === 'kind' || change.place[1] === 'name') continue;
    if (change.place[0] === 'status' && subresources.length && choices.chance(80)) continue;
    result = alone(result, known, schema, change);
  }
  return isMap(result) ? result : {};
}

/** Puts a change into an object that has nothing else: items of lists come with their keys. */
function alone(
  result: Json | undefined,
  known: Json | undefined,
  given: OpenApiSchema,
  { place, value }: Change,
): Json {
  const [first, ...rest] = place;
  if (first === undefined) return value ?? null;
  const schema = resolved(given);
  if (typeof first === 'number') {
    const item = Array.isArray(known) ? known[first] : undefined;
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    const start = isMap(item) ? Object.fromEntries(Object.entries(item).filter(([key]) => keys.includes(key))) : {};
    const inner = rest.length ? alone(start, item, schema.items ?? {}, { place: rest, value }) : (value ?? null);
    return [...(Array.isArray(result) ? result : []), inner];
  }
  const child = schema.properties?.[first] ?? (isMap(schema.additionalProperties) ? schema.additionalProperties : {});
  const map = isMap(result) ? result : {};
  const next = isMap(known) ? known[first] : undefined;
  return { ...map, [first]: alone(map[first], next, child as OpenApiSchema, { place: rest, value }) };
}

function mergePatch(choices: Choices, target: Target, verb: 'merge' | 'strategic'): Step {
  const { kind, name, query } = target;
  const subresource = subresourceOf(choices, kind);
  let body: Json;
  if (subresource === '/scale') body = { spec: { replicas: choices.pick<Json>([2, 0, -1, null, 'a']) } };
  else if (subresource === '/status') body = statusOf(choices, kind);
  else body = sparse(choices, kind);
  const strategic = verb === 'strategic' && (!kind.custom || choices.chance(2));
  if (strategic && subresource === '' && choices.chance(30)) body = directed(choices, body);
  if (choices.chance(2)) body = oddValue(choices);
  return {
    method: 'PATCH',
    path: url(`${kind.path}/${name}${subresource}`, query),
    body,
    contentType: `application/${strategic ? 'strategic-merge-patch' : 'merge-patch'}+json`,
  };
}

/** The patch with one of the directives of strategic merge somewhere. */
function directed(choices: Choices, patch: Json): Json {
  if (Array.isArray(patch)) {
    if (choices.chance(50)) return [...patch.map((item) => (isMap(item) ? { ...item, $patch: 'delete' } : item))];
    return choices.chance(50) ? [...patch, { $patch: 'replace' }] : patch.map((item) => directed(choices, item));
  }
  if (!isMap(patch)) return patch;
  const keys = Object.keys(patch);
  const key = keys.length ? choices.pick(keys) : undefined;
  if (key === undefined || choices.chance(15))
    return choices.pick<Json>([
      { ...patch, $patch: 'replace' },
      { ...patch, $retainKeys: keys },
      { ...patch, $patch: 'delete' },
      { ...patch, $patch: 'odd' },
      { '$deleteFromPrimitiveList/finalizers': ['example.com/a'], ...patch },
      { '$setElementOrder/finalizers': ['example.com/a'], ...patch },
    ]);
  return { ...patch, [key]: directed(choices, patch[key] as Json) };
}

function jsonPatch(choices: Choices, target: Target): Step {
  const { kind, name, query } = target;
  const known: Json = { metadata: { name }, ...kind.base };
  const operations: Json[] = [];
  for (let left = choices.pick([1, 2, 3]); left > 0; left--) {
    const { place, value } = changeOf(choices, known, kind.schema);
    const path = place.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    const op = choices.pick(['add', 'replace', 'remove', 'test', 'add', 'copy', 'move']);
    if (op === 'remove' || value === undefined) operations.push({ op: 'remove', path });
    else if (op === 'copy' || op === 'move')
      operations.push({ op, from: choices.pick(['/metadata/name', '/metadata/labels', '/spec', path]), path });
    else operations.push({ op, path, value });
  }
  return {
    method: 'PATCH',
    path: url(`${kind.path}/${name}`, query),
    body: choices.chance(2) ? oddValue(choices) : operations,
    contentType: 'application/json-patch+json',
  };
}

function remove(choices: Choices, target: Target): Step {
  const { kind, name, query } = target;
  query.delete('fieldManager');
  query.delete('fieldValidation');
  const preconditions = choices.pick<Json>([
    null,
    { uid: '{uid}' },
    { resourceVersion: '{resourceVersion}' },
    { uid: 'f3b1c9a0-0000-4000-8000-000000000000' },
    { resourceVersion: '1' },
  ]);
  const options: Json = {
    ...(preconditions ? { preconditions } : {}),
    ...(choices.chance(40)
      ? { propagationPolicy: choices.pick(['Background', 'Foreground', 'Orphan', 'Odd', '']) }
      : {}),
    ...(choices.chance(20) ? { gracePeriodSeconds: choices.pick<Json>([0, 5, -1, 'a']) } : {}),
    ...(choices.chance(5) ? { orphanDependents: true } : {}),
  };
  return {
    method: 'DELETE',
    path: url(`${kind.path}/${name}`, query),
    ...(Object.keys(options).length ? { body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options } } : {}),
  };
}
