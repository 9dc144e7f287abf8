import {
  after,
  conflict,
  DecodeError,
  type DeleteOptions,
  FieldErrors,
  roundTrip,
  StatusError,
  timestamp,
} from '@tiphys/apimachinery';
import { refuseImmortalNamespace } from '@tiphys/kinds';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { Item } from '@tiphys/store';
import { mutate, validate } from '../admission/admission.ts';
import { flag, integer } from '../request/list-options.ts';
import type { Operation } from '../request/operation.ts';
import { askConverter, kindName } from './write.ts';

const POLICIES = ['Foreground', 'Background', 'Orphan'];

/** Options from the body; where there is none, from the query. */
export function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const options: DeleteOptions = body === undefined ? optionsOf(query) : decodeOptions(body);
  const { propagationPolicy, orphanDependents, dryRun = [] } = options;
  const errors = new FieldErrors();
  if (propagationPolicy !== undefined && orphanDependents !== undefined)
    errors.invalid(
      'propagationPolicy',
      propagationPolicy,
      'orphanDependents and deletionPropagation cannot be both set',
    );
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy))
    errors.notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']);
  if (dryRun.some((value) => value !== 'All')) errors.notSupported('dryRun', dryRun, ['All']);
  errors.throwIfAny({ group: 'meta.k8s.io', name: 'DeleteOptions' }, '');
  return options;
}

function optionsOf(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const propagationPolicy = query.get('propagationPolicy');
  const orphanDependents = flag(query.get('orphanDependents'));
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: integer(grace) }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    dryRun: query.getAll('dryRun'),
  };
}

/** The API server answers with the decoder's own text, as an error of its own. */
function decodeOptions(body: unknown): DeleteOptions {
  if (typeof body !== 'object' || body === null) return {};
  try {
    return roundTrip('meta/v1.DeleteOptions', body as Record<string, unknown>, { unknown: [] }) as DeleteOptions;
  } catch (error) {
    if (error instanceof DecodeError) throw new StatusError(500, '', error.message);
    throw error;
  }
}

/** Whether the object is gone, and its last state. */
export interface Deletion {
  readonly object: KubeObject;
  readonly gone: boolean;
}

/** Deletes as the real server does: grace periods, finalizers, propagation policy. A promise only when admission asks webhooks. */
export function remove(operation: Operation, current: Item, options: DeleteOptions): Deletion | Promise<Deletion> {
  const { resource } = operation;
  const object = resource.fromStored(current.object);
  const name = object.metadata.name ?? '';
  askConverter(resource, object);
  checkPreconditions(operation, object, options);
  if (resource.collection === 'namespaces') refuseImmortalNamespace(name);
  // Those of a whole collection are admitted without a name.
  const attributes = operation.attributes('DELETE', undefined, object, { name: operation.info.name });
  return after(mutate(attributes), () =>
    after(validate(attributes), () => {
      const collection = operation.server.store.collection(resource.collection);
      // What webhooks were asked about may have changed since.
      return removeNow(operation, collection.get(current.key) ?? current, options);
    }),
  );
}

/** Deletes without asking admission. */
export function removeNow(operation: Operation, current: Item, options: DeleteOptions): Deletion {
  const { resource, server } = operation;
  const object = resource.fromStored(current.object);
  const meta = object.metadata;
  checkPreconditions(operation, object, options);
  const collection = server.store.collection(resource.collection);
  const finalizers = [
    ...new Set([
      ...finalizersFor(object, options, resource.strategy.orphansDependents ?? false),
      ...(meta.deletionTimestamp ? [] : (resource.strategy.deletionFinalizers ?? [])),
    ]),
  ];
  const grace = gracePeriod(operation, object, options);
  const isNamespace = resource.plural === 'namespaces' && resource.group === '';
  const held =
    finalizers.length > 0 ||
    grace > 0 ||
    (isNamespace && ((object.spec as coreV1.NamespaceSpec).finalizers?.length ?? 0) > 0);
  const { dryRun } = operation;
  if (!held) {
    const last = resource.collection === 'pods' ? ended(operation, object) : object;
    if (dryRun) return { object: last, gone: true };
    // that a pod goes is written before it is gone, and watches show both
    if (last !== object && meta.deletionGracePeriodSeconds !== 0)
      server.store.put(collection, current.key, resource.toStored(last));
    const removed = server.store.remove(collection, current.key, resource.toStored(last)) as Item;
    resource.strategy.afterWrite?.(undefined, object, operation);
    return { object: resource.fromStored(removed.object), gone: true };
  }
  const already = meta.deletionTimestamp !== undefined;
  const shorter = already && grace < (meta.deletionGracePeriodSeconds ?? 0);
  const next: KubeObject = { ...object, metadata: { ...meta } };
  if (finalizers.length) next.metadata.finalizers = finalizers;
  else delete next.metadata.finalizers;
  if (!already || shorter) {
    next.metadata.deletionTimestamp = timestamp(server.clock, grace);
    const { deletionFinalizers, onDeletion } = resource.strategy;
    if (!isNamespace && !deletionFinalizers) next.metadata.deletionGracePeriodSeconds = grace;
    onDeletion?.(next, operation);
    if (next.metadata.generation && !deletionFinalizers) next.metadata.generation += already ? 0 : 1;
  }
  if (isNamespace) next.status = { ...(object.status as object), phase: 'Terminating' };
  const changed = !already || shorter || finalizers.join() !== (meta.finalizers ?? []).join();
  if (!changed || dryRun) return { object: next, gone: false };
  const item = server.store.put(collection, current.key, resource.toStored(next));
  resource.strategy.afterWrite?.(item.object, object, operation);
  return { object: resource.fromStored(item.object), gone: false };
}

/** Pods tell when they went, even at once. */
function ended({ server }: Operation, object: KubeObject): KubeObject {
  const { metadata } = object;
  const deletionTimestamp = metadata.deletionTimestamp ?? timestamp(server.clock);
  const generation = (metadata.generation ?? 0) + (metadata.deletionTimestamp ? 0 : 1);
  return { ...object, metadata: { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: 0, generation } };
}

function checkPreconditions(operation: Operation, object: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = object.metadata;
  const name = object.metadata.name ?? '';
  if (preconditions?.uid && preconditions.uid !== uid)
    throw conflict(
      kindName(operation.resource),
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid ?? ''}). The object might have been deleted and then recreated`,
    );
  if (preconditions?.resourceVersion && preconditions.resourceVersion !== resourceVersion)
    throw conflict(
      kindName(operation.resource),
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion ?? ''}). The object might have been modified`,
    );
}

const PROPAGATION = ['orphan', 'foregroundDeletion'];

function finalizersFor(object: KubeObject, options: DeleteOptions, orphans: boolean): string[] {
  const present = object.metadata.finalizers ?? [];
  const policy =
    options.propagationPolicy ??
    (options.orphanDependents === undefined ? undefined : options.orphanDependents ? 'Orphan' : 'Background');
  if (policy === undefined)
    return orphans && !present.some((finalizer) => PROPAGATION.includes(finalizer)) ? [...present, 'orphan'] : present;
  const rest = present.filter((finalizer) => !PROPAGATION.includes(finalizer));
  if (policy === 'Orphan') return [...rest, 'orphan'];
  if (policy === 'Foreground') return [...rest, 'foregroundDeletion'];
  return rest;
}

/** Only pods go gracefully: while a node runs them. */
function gracePeriod(operation: Operation, object: KubeObject, options: DeleteOptions): number {
  if (operation.resource.collection !== 'pods') return 0;
  const spec = object.spec as coreV1.PodSpec;
  const phase = (object.status as coreV1.PodStatus | undefined)?.phase;
  let grace = options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
  if (!spec.nodeName || phase === 'Succeeded' || phase === 'Failed') grace = 0;
  if (grace < 0) grace = 1;
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  // Once under deletion a period can only become shorter.
  if (deletionTimestamp)
    return Math.min(
      options.gracePeriodSeconds === undefined ? Number.POSITIVE_INFINITY : grace,
      deletionGracePeriodSeconds ?? 0,
    );
  return grace;
}
