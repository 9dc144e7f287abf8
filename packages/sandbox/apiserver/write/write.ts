import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Attributes } from '@tiphys/admission-rules';
import {
  after,
  alreadyExists,
  badRequest,
  conflict,
  FieldErrors,
  generateName,
  MODIFIED,
  notFound,
  type Resource,
  StatusError,
  storeKey,
  timestamp,
  validateMeta,
  validateMetaUpdate,
} from '@tiphys/apimachinery';
import type { coreV1, KubeObject, ObjectMeta } from '@tiphys/kubernetes';
import type { Item } from '@tiphys/store';
import { mutate, validate } from '../admission/admission.ts';
import type { Operation } from '../request/operation.ts';
import { otherUid } from './other-uid.ts';

export function kindName(resource: Resource): { group: string; name: string } {
  // Events are told of as those of the first version, whatever they are written as.
  return { group: resource.kind === 'Event' ? '' : resource.group, name: resource.kind };
}

export function resourceName(resource: Resource): { group: string; name: string } {
  return { group: resource.group, name: resource.plural };
}

/** POST: stores a new object. A promise only when admission asks webhooks. */
export function create(operation: Operation, input: KubeObject): KubeObject | Promise<KubeObject> {
  const { resource, info } = operation;
  const object: KubeObject = { ...input, metadata: { ...input.metadata } };
  const meta = object.metadata;
  adoptNamespace(operation, meta);
  operation.givenVersion = meta.resourceVersion;
  if (operation.verb !== 'create') checkVersionText(meta);
  if (operation.verb === 'update' && meta.uid) throw otherUid(operation, meta.uid, '');
  for (const field of ['selfLink', 'uid', 'resourceVersion', 'creationTimestamp']) delete meta[field];
  // What an apply or a PUT creates keeps them, in kube-apiserver too.
  if (operation.verb === 'create')
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds']) delete meta[field];
  if (info.name && meta.name !== info.name)
    throw badRequest(`the name of the object (${meta.name ?? ''}) does not match the name on the URL (${info.name})`);
  operation.dedupeOwners(meta);
  resource.strategy.defaults?.(object);
  operation.trackFields(object, undefined);
  return after(mutate(operation.attributes('CREATE', object, undefined)), () => finishCreate(operation, object));
}

function finishCreate(operation: Operation, object: KubeObject): KubeObject | Promise<KubeObject> {
  const { resource, server } = operation;
  const { strategy } = resource;
  const meta = object.metadata;
  if (!meta.name && meta.generateName) meta.name = generateName(meta.generateName);
  const managedFields = meta.managedFields;
  delete meta.managedFields;
  meta.uid = randomUUID();
  meta.creationTimestamp = timestamp(server.clock);
  if (strategy.generation) meta.generation = 1;
  if (managedFields) meta.managedFields = managedFields;
  if (strategy.statusSubresource) {
    resetStatus(resource, object);
    strategy.defaults?.(object);
  }
  strategy.prepareCreate?.(object, operation);
  checkCustomKind(resource, object);
  strategy.permit?.(object, operation);
  const errors = new FieldErrors();
  validateMeta(resource, object, errors, true);
  strategy.validate?.(object, errors, operation);
  strategy.validateCreate?.(object, errors, operation);
  errors.throwIfAny(kindName(resource), meta.name ?? '');
  for (const text of strategy.warnings?.(object, undefined) ?? []) operation.warn(text);
  askConverter(resource, object);
  return after(validate(operation.attributes('CREATE', object, undefined)), () => storeNew(operation, object));
}

/** Once the object is final, and before anything is charged or stored, a converting webhook is asked for both ways. */
export function askConverter(resource: Resource, object: KubeObject): void {
  if (resource.needs) resource.fromStored(resource.toStored(object));
}

/** A custom resource may be sent as of another kind; then nothing else about it is looked at. */
function checkCustomKind({ custom, group, kind }: Resource, object: KubeObject): void {
  if (custom === undefined || object.kind === kind) return;
  const errors = new FieldErrors();
  errors.invalid('kind', object.kind, `must be ${kind}`);
  errors.throwIfAny({ group, name: object.kind }, object.metadata.name ?? '');
}

function storeNew(operation: Operation, object: KubeObject): KubeObject {
  const { resource, server } = operation;
  const { strategy } = resource;
  const name = object.metadata.name as string;
  const collection = server.store.collection(resource.collection);
  const key = storeKey(resource, object.metadata.namespace ?? '', name);
  const present = collection.get(key);
  if (present) throw taken(operation, object.metadata, present.object);
  resource.readBack?.(object);
  if (operation.dryRun) {
    if (operation.givenVersion) object.metadata.resourceVersion = operation.givenVersion;
    return asStored(resource, object);
  }
  if (operation.verb === 'create' && /^0*[1-9]\d*$/.test(operation.givenVersion ?? ''))
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  const item = server.store.put(collection, key, resource.toStored(object));
  strategy.afterWrite?.(item.object, undefined, operation);
  return resource.fromStored(item.object);
}

/** What a dry run shows: a custom resource loses what its schema does not know when it is stored. */
function asStored(resource: Resource, object: KubeObject): KubeObject {
  return resource.custom === undefined ? object : resource.fromStored(resource.toStored(object));
}

function resetStatus(resource: Resource, object: KubeObject): void {
  const empty = resource.emptyStatus();
  if (empty === undefined) delete object.status;
  else object.status = empty;
}

/** Versions that are no numbers are told by the parser itself. */
function checkVersionText({ resourceVersion = '' }: ObjectMeta): void {
  if (/^\d*$/.test(resourceVersion)) return;
  throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
}

/** The object of a PUT or PATCH is the one of the URL. */
export function checkName({ info }: Operation, { name }: ObjectMeta): void {
  if (!name)
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  if (name !== info.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
}

export function adoptNamespace(operation: Operation, meta: ObjectMeta): void {
  const { resource, info } = operation;
  if (!resource.namespaced) {
    delete meta.namespace;
    return;
  }
  if (!meta.namespace) meta.namespace = info.namespace;
  if (meta.namespace !== info.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The name of a new object is taken; one that was to be generated may be tried again. */
function taken({ resource }: Operation, { name = '', generateName }: ObjectMeta, present: KubeObject): StatusError {
  if (!generateName)
    return alreadyExists(resourceName(resource), name, present.metadata.deletionTimestamp !== undefined);
  const { status } = alreadyExists(resourceName(resource), name, false);
  return new StatusError(
    409,
    'AlreadyExists',
    `${status.message}, the server was not able to generate a unique name for the object`,
    { ...status.details, retryAfterSeconds: 1 },
  );
}

/** What admission sees of an object that is written, where that is not the object itself. */
export interface AdmissionView {
  readonly kind: Attributes['kind'];
  readonly show: (object: KubeObject) => KubeObject;
  /** Takes over what admission changed. */
  readonly take: (object: KubeObject, shown: KubeObject) => void;
}

/**
 * PUT and PATCH: replaces an object, or its status, or what else the subresource covers. A promise only when admission
 * asks webhooks; when the stored object changes meanwhile, it rejects with RacedWrite.
 */
export function update(
  operation: Operation,
  input: KubeObject,
  current: Item,
  view?: AdmissionView,
): KubeObject | Promise<KubeObject> {
  const { resource, info } = operation;
  const { strategy } = resource;
  const old = resource.fromStored(current.object);
  const object: KubeObject = { ...input, metadata: { ...input.metadata } };
  const meta = object.metadata;
  if (meta.name && meta.name !== info.name)
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${info.name})`);
  meta.name = info.name;
  adoptNamespace(operation, meta);
  checkVersionText(meta);
  if (meta.resourceVersion && meta.resourceVersion !== old.metadata.resourceVersion)
    throw conflict(resourceName(resource), info.name, MODIFIED);
  if (!meta.resourceVersion && strategy.unconditionalUpdate === false) {
    const errors = new FieldErrors();
    errors.invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    errors.throwIfAny(resourceName(resource), info.name);
  }
  const patchedUid =
    operation.verb === 'patch' && meta.uid !== undefined && meta.uid !== old.metadata.uid ? meta.uid : undefined;
  if (meta.uid && meta.uid !== old.metadata.uid && operation.verb === 'update')
    throw otherUid(operation, meta.uid, old.metadata.uid ?? '');
  keepSystemMeta(operation, meta, old.metadata);
  if (patchedUid) meta.uid = patchedUid;
  operation.dedupeOwners(meta);
  if (['', 'status', 'resize', 'ephemeralcontainers'].includes(operation.subresource)) strategy.defaults?.(object);
  operation.trackFields(object, old);
  const seen = { operation, object, old, current, view };
  const attributes = attributesOf(seen);
  return after(mutate(attributes), () => {
    if (view && attributes.object) view.take(object, attributes.object);
    operation.keepOthers(object, old);
    return finishUpdate(seen);
  });
}

interface Update {
  readonly operation: Operation;
  readonly object: KubeObject;
  readonly old: KubeObject;
  readonly current: Item;
  readonly view: AdmissionView | undefined;
}

function attributesOf({ operation, object, old, view }: Update): Attributes {
  if (!view) return operation.attributes('UPDATE', object, old);
  return operation.attributes('UPDATE', view.show(object), view.show(old), { kind: view.kind });
}

function finishUpdate(seen: Update): KubeObject | Promise<KubeObject> {
  const { operation, object, old, current } = seen;
  const { resource, info } = operation;
  const { strategy } = resource;
  const meta = object.metadata;
  if (operation.subresource === 'status') strategy.prepareStatus?.(object, old, operation);
  else strategy.prepareUpdate?.(object, old, operation);
  resource.readBack?.(object);
  if (strategy.generation === true)
    meta.generation = (old.metadata.generation ?? 0) + (specChanged(operation, object, old) ? 1 : 0);
  else if (old.metadata.generation === undefined) delete meta.generation;
  else meta.generation = old.metadata.generation;
  checkCustomKind(resource, object);
  strategy.permit?.(object, operation);
  const errors = new FieldErrors();
  validateMeta(resource, object, errors, false);
  validateMetaUpdate(object, old, errors);
  if (operation.subresource === 'status') strategy.validateStatus?.(object, old, errors, operation);
  else {
    if (strategy.updateRulesFirst) strategy.validateUpdate?.(object, old, errors, operation);
    strategy.validate?.(object, errors, operation);
    if (!strategy.updateRulesFirst) strategy.validateUpdate?.(object, old, errors, operation);
  }
  errors.throwIfAny(kindName(resource), info.name);
  const warnings =
    operation.subresource === 'status' ? strategy.statusWarnings?.(object) : strategy.warnings?.(object, old);
  for (const text of warnings ?? []) operation.warn(text);
  askConverter(resource, object);
  return after(validate(attributesOf(seen)), () => replace(operation, object, old, current));
}

/** Another write came between reading the object and storing it: the request may be tried again. */
export class RacedWrite extends StatusError {}

function replace(operation: Operation, object: KubeObject, old: KubeObject, current: Item): KubeObject {
  const { resource, server } = operation;
  const { metadata: meta } = object;
  const collection = server.store.collection(resource.collection);
  meta.resourceVersion = old.metadata.resourceVersion as string;
  if (sameBut(object, old)) return old;
  if (operation.dryRun) return asStored(resource, object);
  if (collection.get(current.key) !== current) {
    const { status } = conflict(resourceName(resource), meta.name ?? '', MODIFIED);
    throw new RacedWrite(409, 'Conflict', status.message ?? '', status.details);
  }
  if (meta.deletionTimestamp && !meta.finalizers?.length && finallyDeletable(resource, object)) {
    // Watchers see the state that was stored last, with the finalizers.
    const removed = server.store.remove(collection, current.key) as Item;
    resource.strategy.afterWrite?.(undefined, old, operation);
    meta.resourceVersion = String(removed.revision);
    return object;
  }
  const item = server.store.put(collection, current.key, resource.toStored(object));
  resource.strategy.afterWrite?.(item.object, old, operation);
  return resource.fromStored(item.object);
}

/** With its last finalizer gone an object under deletion goes, unless a grace period or a namespace's content holds it. */
function finallyDeletable(resource: Resource, object: KubeObject): boolean {
  if (resource.plural === 'namespaces' && resource.group === '')
    return !(object.spec as coreV1.NamespaceSpec | undefined)?.finalizers?.length;
  return !object.metadata.deletionGracePeriodSeconds;
}

/** Equal except for the times of managed fields: such a write changes nothing and makes no revision. */
function sameBut(object: KubeObject, old: KubeObject): boolean {
  const strip = (source: KubeObject) => ({
    ...source,
    metadata: {
      ...source.metadata,
      managedFields: source.metadata.managedFields?.map(({ time: _, ...entry }) => entry),
    },
  });
  return isDeepStrictEqual(strip(object), strip(old));
}

function keepSystemMeta({ applied }: Operation, meta: ObjectMeta, old: ObjectMeta): void {
  for (const field of ['uid', 'creationTimestamp'] as const) {
    if (old[field] === undefined) delete meta[field];
    else Object.assign(meta, { [field]: old[field] });
  }
  // To begin a deletion this way is refused by the validation; one that has begun goes on.
  if (old.deletionTimestamp !== undefined) meta.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  // After an apply that gave up the last field there are none.
  if (!applied && !('managedFields' in meta) && old.managedFields) meta.managedFields = old.managedFields;
}

function specChanged({ resource, subresource }: Operation, object: KubeObject, old: KubeObject): boolean {
  const strip = ({ metadata: _, status, ...rest }: KubeObject) =>
    resource.custom && !resource.strategy.statusSubresource ? { ...rest, status } : rest;
  if (!isDeepStrictEqual(strip(object), strip(old))) return true;
  // EndpointSlices count changes of labels too, and Deployments those of annotations, but not those that come with a status.
  if (resource.collection === 'discovery.k8s.io/endpointslices')
    return !isDeepStrictEqual(object.metadata.labels, old.metadata.labels);
  return (
    subresource !== 'status' &&
    resource.collection === 'apps/deployments' &&
    !isDeepStrictEqual(object.metadata.annotations, old.metadata.annotations)
  );
}

/** The stored item, or NotFound. */
export function requireItem(operation: Operation): Item {
  const { resource, server, info } = operation;
  const item = server.store.collection(resource.collection).get(storeKey(resource, info.namespace, info.name));
  if (!item) throw notFound(resourceName(resource), info.name);
  return item;
}
