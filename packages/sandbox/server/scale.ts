import type { KubeObject } from '@tiphys/kubernetes';
import { formatSelector, type LabelSelector } from '../resources/label-selector.ts';
import { after } from './after.ts';
import type { Answer } from './answer.ts';
import { FieldErrors } from './field-errors.ts';
import type { Operation } from './operation.ts';
import { patched, patchKind } from './patch.ts';
import type { Resource } from './resource.ts';
import { bodyOf, forceOf } from './resource-requests.ts';
import { badRequest } from './status.ts';
import type { SubresourceRequest } from './subresources.ts';
import { type AdmissionView, requireItem, update } from './write.ts';

/** Where a resource keeps what its scale shows; paths without the leading dot. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  readonly selector: string | undefined;
}

const BUILTIN: ScalePaths = { spec: 'spec.replicas', status: 'status.replicas', selector: undefined };

/** GET, PUT and PATCH of `scale`: an autoscaling/v1 Scale over the object. */
export function scale(request: SubresourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const item = requireItem(operation);
  const object = operation.resource.fromStored(item.object);
  const paths = operation.resource.scale ?? BUILTIN;
  if (operation.verb === 'get') return answer(operation, scaleOf(operation.resource, object, paths));
  const wanted =
    operation.verb === 'patch'
      ? patchScale(request, scaleOf(operation.resource, object, paths))
      : (bodyOf(request) as KubeObject);
  const replicas = (wanted.spec as { replicas?: unknown } | undefined)?.replicas ?? 0;
  if (typeof replicas !== 'number')
    throw badRequest(
      'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
    );
  const errors = new FieldErrors();
  if (replicas < 0) errors.invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
  errors.throwIfAny({ group: 'autoscaling', name: 'Scale' }, object.metadata.name ?? '');
  const resourceVersion = wanted.metadata?.resourceVersion ?? object.metadata.resourceVersion;
  const next = withValue(
    { ...object, metadata: { ...object.metadata, ...(resourceVersion ? { resourceVersion } : {}) } },
    paths.spec,
    replicas,
  ) as KubeObject;
  const show = (shown: KubeObject) => scaleOf(operation.resource, shown, paths);
  const view: AdmissionView = {
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    show,
    take: (target, shown) => {
      const given = (shown.spec as { replicas?: number } | undefined)?.replicas ?? 0;
      Object.assign(target, withValue(target, paths.spec, given));
    },
  };
  return after(update(operation, next, item, view), (written) => answer(operation, show(written)));
}

function patchScale(request: SubresourceRequest, current: KubeObject): KubeObject {
  const { operation } = request;
  const kind = patchKind(request.contentType, operation);
  return patched({
    kind: kind === 'strategic' ? 'merge' : kind,
    operation,
    old: current,
    patch: bodyOf(request),
    force: forceOf(request.query),
    raw: true,
  });
}

function answer(operation: Operation, object: KubeObject): Answer {
  return { code: 200, body: JSON.stringify(object), warnings: operation.warnings };
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
