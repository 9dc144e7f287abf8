import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors } from '@tiphys/apimachinery';
import type { coreV1 } from '@tiphys/kubernetes';
import type { Container, PodObject } from '../shared/shapes.ts';
import { type ContainerScope, validateContainers } from './container-validation.ts';
import { keepMetaAndStatus } from './pod-resize.ts';

type EphemeralContainer = Container & { targetContainerName?: string };

/** What a container that only looks at others may not have. */
const forbidden = [
  'ports',
  'resources',
  'resizePolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

const handlers = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

/** What a write of `pods/ephemeralcontainers` changes: the list of these containers, nothing else. */
export function keepAllButEphemeral(object: PodObject, old: PodObject): void {
  const { ephemeralContainers } = object.spec;
  const { ephemeralContainers: _, ...spec } = old.spec;
  for (const container of ephemeralContainers ?? []) delete container.restartPolicy;
  object.spec = { ...spec, ...(ephemeralContainers ? { ephemeralContainers } : {}) };
  keepMetaAndStatus(object, old);
}

/** Checks the containers as such; `scope` knows the pod's volumes and its other containers. */
export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  path: string,
  scope: ContainerScope,
  errors: FieldErrors,
): void {
  const others = new Set(scope.names);
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`;
    const { targetContainerName: target, volumeMounts = [] } = container;
    const own = errors.fresh();
    validateContainers([container], '', scope, own);
    // probes and hooks are those of other containers
    const relevant = own.causes.filter(({ field = '' }) => !handlers.some((name) => field.startsWith(`[0].${name}`)));
    errors.causes.push(...relevant.map((cause) => ({ ...cause, field: `${at}${cause.field?.slice(3)}` })));
    if (target && !others.has(target)) errors.notFound(`${at}.targetContainerName`, target);
    for (const name of forbidden)
      if (isSet(container[name as keyof Container], name))
        errors.forbidden(`${at}.${name}`, 'cannot be set for an Ephemeral Container');
    (volumeMounts as coreV1.VolumeMount[]).forEach((mount, position) => {
      for (const name of ['subPath', 'subPathExpr'] as const)
        if (mount[name])
          errors.forbidden(`${at}.volumeMounts[${position}].${name}`, 'cannot be set for an Ephemeral Container');
    });
  });
}

/** Containers may be added; those that are there stay as they are. */
export function validateEphemeralUpdate(object: PodObject, old: PodObject, errors: FieldErrors): void {
  if (old.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) {
    errors.causes.length = 0;
    errors.forbidden('<nil>', 'static pods do not support ephemeral containers');
    return;
  }
  const now = new Map(object.spec.ephemeralContainers?.map((container) => [container.name, container]));
  for (const container of old.spec.ephemeralContainers ?? []) {
    const same = now.get(container.name);
    const refuse = (what: string) =>
      errors.forbidden(
        'spec.ephemeralContainers',
        `existing ephemeral containers "${container.name}" may not be ${what}`,
      );
    if (!same) refuse('removed\n');
    else if (!isDeepStrictEqual(same, container)) refuse('changed\n');
  }
}

/** Whether there is a value, if only an empty one; resources are always there. */
function isSet(value: unknown, name: string): boolean {
  if (name === 'resources') return Object.keys((value ?? {}) as object).length > 0;
  return value !== undefined && value !== null;
}
