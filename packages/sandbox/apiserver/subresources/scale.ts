import {
  after,
  applyFields,
  badRequest,
  DecodeError,
  FieldErrors,
  formatSelector,
  type Resource,
  roundTrip,
  type ScalePaths,
  StatusError,
} from '@tiphys/apimachinery';
import { type autoscalingV1, type FieldManager, goText, type KubeObject, type LabelSelector } from '@tiphys/kubernetes';
import type { Answer } from '../http/answer.ts';
import type { Operation } from '../request/operation.ts';
import { bodyOf, forceOf, formOf } from '../resources/resource-requests.ts';
import { checkPatchOptions, type PatchKind, patched, patchKind } from '../write/patch.ts';
import { type AdmissionView, requireItem, update } from '../write/write.ts';
import { entriesInParent, entriesInScale, scaleManager } from './scale-fields.ts';
import { scaleTable } from './scale-table.ts';
import type { SubresourceRequest } from './subresource-request.ts';

const BUILTIN: ScalePaths = { spec: 'spec.replicas', status: 'status.replicas', selector: undefined };

/** GET, PUT and PATCH of `scale`: an autoscaling/v1 Scale over the object. */
export function scale(request: SubresourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const given = operation.verb === 'update' ? decodeScale(operation, bodyOf(request)) : undefined;
  const kind = operation.verb === 'patch' ? patchKind(request.contentType, operation) : undefined;
  if (kind) checkPatchOptions(kind, operation, forceOf(request.query));
  const item = requireItem(operation);
  const object = operation.resource.fromStored(item.object);
  const paths = operation.resource.scale ?? BUILTIN;
  const shown = scaleOf(operation.resource, object, paths);
  if (!kind && !given) return answer(request, shown);
  const manager = scaleManager(operation.server.clock);
  const owners = entriesInScale(object.metadata.managedFields, paths.spec);
  const live: KubeObject = {
    ...shown,
    metadata: { ...shown.metadata, ...(owners.length ? { managedFields: owners } : {}) },
  };
  const wanted = kind ? patchScale(request, kind, live, manager) : (given as KubeObject);
  const replicas = (wanted.spec as autoscalingV1.ScaleSpec | undefined)?.replicas ?? 0;
  const errors = new FieldErrors();
  // What a custom resource says against it is told of the resource itself.
  if (replicas < 0 && operation.resource.custom === undefined)
    errors.invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
  errors.throwIfAny({ group: 'autoscaling', name: 'Scale' }, object.metadata.name ?? '');
  const resourceVersion = wanted.metadata?.resourceVersion ?? object.metadata.resourceVersion;
  const tracked = kind === 'apply' ? wanted : manager.update(live, wanted, operation.fieldManager);
  const { managedFields: _, ...metadata } = object.metadata;
  const entries = entriesInParent(object.metadata.managedFields, tracked.metadata.managedFields, paths.spec, object);
  operation.applied = true;
  const next = withValue(
    {
      ...object,
      metadata: {
        ...metadata,
        ...(entries.length ? { managedFields: entries } : {}),
        ...(resourceVersion ? { resourceVersion } : {}),
      },
    },
    paths.spec,
    replicas,
  ) as KubeObject;
  const show = (shown: KubeObject) => scaleOf(operation.resource, shown, paths);
  const view: AdmissionView = {
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    show,
    take: (target, shown) => {
      const given = (shown.spec as autoscalingV1.ScaleSpec | undefined)?.replicas ?? 0;
      Object.assign(target, withValue(target, paths.spec, given));
    },
  };
  return after(update(operation, next, item, view), (written) => answer(request, show(written)));
}

function decodeScale({ resource }: Operation, body: unknown): KubeObject {
  try {
    return roundTrip('autoscaling/v1.Scale', (body ?? {}) as Record<string, unknown>, { unknown: [] }) as KubeObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // The custom resources' own server knows no Scale that it could name.
    throw badRequest(
      resource.custom === undefined
        ? `Scale in version "v1" cannot be handled as a Scale: ${error.message}`
        : 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:110"',
    );
  }
}

function patchScale(
  request: SubresourceRequest,
  kind: PatchKind,
  current: KubeObject,
  manager: FieldManager,
): KubeObject {
  const { operation } = request;
  if (kind === 'apply' && operation.resource.custom !== undefined)
    throw new StatusError(
      500,
      '',
      `failed to convert new object (/${current.metadata.name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
    );
  if (kind === 'apply') {
    const options = { manager: operation.fieldManager, force: forceOf(request.query) ?? false };
    return applyFields(manager, current, bodyOf(request) as KubeObject, options);
  }
  const wanted = patched({
    kind: kind === 'strategic' ? 'merge' : kind,
    operation,
    old: current,
    patch: bodyOf(request),
    force: forceOf(request.query),
    raw: true,
  });
  try {
    return roundTrip('autoscaling/v1.Scale', wanted as Record<string, unknown> & KubeObject, {
      unknown: [],
    }) as KubeObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const errors = new FieldErrors();
    if (kind === 'strategic') errors.invalid('patch', goText(bodyOf(request)), error.converted);
    else errors.invalid('patch', JSON.stringify(wanted), error.message);
    throw errors.toStatus({ group: '', name: '' }, '');
  }
}

function answer(request: SubresourceRequest, scale: KubeObject): Answer {
  const kind = scaleTable(request.operation.resource.custom !== undefined);
  return { code: 200, body: JSON.stringify(formOf(request, kind, scale)), warnings: request.operation.warnings };
}

function scaleOf(resource: Resource, object: KubeObject, paths: ScalePaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = Number(valueAt(object, paths.spec) ?? 0);
  const selector =
    resource.custom === undefined ? builtinSelector(object) : paths.selector && valueAt(object, paths.selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: JSON.parse(JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp })),
    spec: replicas ? { replicas } : {},
    status: {
      replicas: Number(valueAt(object, paths.status) ?? 0),
      ...(selector ? { selector: String(selector) } : {}),
    },
  };
}

function builtinSelector(object: KubeObject): string {
  const { selector } = object.spec as { selector?: LabelSelector | Record<string, string> };
  if (!selector) return '';
  const isMap = object.kind === 'ReplicationController';
  const text = formatSelector(
    isMap ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelector),
  );
  return text === '<none>' ? '' : text;
}

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function withValue(object: unknown, path: string, value: unknown): unknown {
  const [first = '', ...rest] = path.split('.');
  const source = (typeof object === 'object' && object !== null ? object : {}) as Record<string, unknown>;
  return { ...source, [first]: rest.length ? withValue(source[first], rest.join('.'), value) : value };
}
