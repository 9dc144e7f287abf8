import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors } from '@tiphys/apimachinery';
import { compareQuantities, type coreV1 } from '@tiphys/kubernetes';
import type { Container, PodObject, PodSpec } from '../shared/shapes.ts';

type Quantities = Record<string, string>;

/** What a write of `pods/resize` changes: the resources and resize policies of containers, nothing else. */
export function keepAllButResources(object: PodObject, old: PodObject): void {
  const merged = (given: readonly Container[] | undefined, known: readonly Container[] | undefined) => {
    if (!given?.length || given.some(({ name }, index) => known?.[index]?.name !== name)) return given;
    return known?.map((container, index) => {
      const { resources, resizePolicy } = given[index] as Container & { resizePolicy?: unknown };
      return { ...container, ...(resources ? { resources } : {}), ...(resizePolicy ? { resizePolicy } : {}) };
    });
  };
  const { containers, initContainers } = object.spec;
  const sizes = [containers?.length ?? 0, initContainers?.length ?? 0];
  if (!isDeepStrictEqual(sizes, [old.spec.containers?.length ?? 0, old.spec.initContainers?.length ?? 0])) return;
  object.spec = {
    ...old.spec,
    containers: merged(containers, old.spec.containers) as Container[],
    ...(initContainers ? { initContainers: merged(initContainers, old.spec.initContainers) as Container[] } : {}),
  };
  keepMetaAndStatus(object, old);
}

/** The metadata and the status as they were, for subresources that change parts of the spec alone. */
export function keepMetaAndStatus(object: PodObject, old: PodObject): void {
  if (old.status) object.status = old.status;
  else delete object.status;
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (old.metadata[field] === undefined) delete object.metadata[field];
    else Object.assign(object.metadata, { [field]: old.metadata[field] });
  }
}

interface Sized {
  status?: { containerStatuses?: { state?: { running?: object }; resources?: object }[] };
}

/** `qosOf` tells the quality-of-service class of a spec. */
export function validateResize(
  object: PodObject,
  old: PodObject,
  errors: FieldErrors,
  qosOf: (spec: PodSpec) => string,
): void {
  const wholePod = ({ spec }: PodObject) => {
    const { requests = {}, limits = {} } = (spec as coreV1.PodSpec).resources ?? {};
    return Object.keys(requests).length + Object.keys(limits).length > 0;
  };
  const never =
    wholePod(object) || wholePod(old)
      ? 'pods with pod-level resources'
      : old.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
        ? 'static pods'
        : (old.spec as coreV1.PodSpec).os?.name === 'windows'
          ? 'windows pods'
          : undefined;
  if (never) {
    errors.causes.length = 0;
    errors.forbidden('<nil>', `${never} cannot be resized`);
    return;
  }
  const before = (old.status as coreV1.PodStatus | undefined)?.qosClass ?? qosOf(old.spec);
  if (before !== qosOf(object.spec))
    errors.invalid('spec', before, 'Pod QOS Class may not change as a result of resizing');
  const running = (old as Sized).status?.containerStatuses?.find(({ state }) => state?.running);
  if (running && !running.resources) errors.forbidden('spec', 'Pod running on node without support for resize');
  if (!sameContainers(object.spec, old.spec, errors)) return;
  checkInits(object.spec, old.spec, errors);
  (old.spec.containers ?? []).forEach((container, index) => {
    const now = object.spec.containers?.[index] as Container;
    checkRemoved(now, container, `spec.containers[${index}].resources`, errors);
  });
  for (const [index, container] of (old.spec.containers ?? []).entries())
    if (!onlyComputeChanged(object.spec.containers?.[index] as Container, container))
      errors.forbidden('spec', 'only cpu and memory resources are mutable');
}

function sameContainers(spec: PodSpec, old: PodSpec, errors: FieldErrors): boolean {
  const count = errors.causes.length;
  for (const kind of ['containers', 'initContainers'] as const) {
    const [now, before] = [spec[kind] ?? [], old[kind] ?? []];
    if (now.length !== before.length) errors.forbidden(`spec.${kind}`, `${kind} may not be added or removed on resize`);
    else
      before.forEach(({ name }, index) => {
        if (now[index]?.name !== name)
          errors.forbidden(`spec.${kind}[${index}].name`, `${kind} may not be renamed or reordered on resize`);
      });
  }
  return errors.causes.length === count;
}

function checkInits(spec: PodSpec, old: PodSpec, errors: FieldErrors): void {
  (old.initContainers ?? []).forEach((container, index) => {
    const now = spec.initContainers?.[index] as Container;
    if (container.restartPolicy !== 'Always') {
      if (!isDeepStrictEqual(now, container))
        errors.forbidden('spec', 'resources for non-sidecar init containers are immutable');
      return;
    }
    checkRemoved(now, container, `spec.initContainers[${index}].resources`, errors);
    if (!onlyComputeChanged(now, container))
      errors.forbidden('spec', 'only cpu and memory resources for sidecar containers are mutable');
  });
}

function checkRemoved(now: Container, old: Container, at: string, errors: FieldErrors): void {
  for (const kind of ['requests', 'limits'] as const) {
    const kept = now.resources?.[kind] ?? {};
    if (Object.keys(old.resources?.[kind] ?? {}).some((name) => !Object.hasOwn(kept, name)))
      errors.forbidden(`${at}.${kind}`, `resource ${kind} cannot be removed`);
  }
}

function onlyComputeChanged(now: Container, old: Container): boolean {
  const rest = ({ resources, ...container }: Container) => {
    const { requests: _, limits: __, ...more } = resources ?? {};
    return { ...container, ...more };
  };
  const others = (quantities: Quantities | undefined): Quantities =>
    Object.fromEntries(Object.entries(quantities ?? {}).filter(([name]) => name !== 'cpu' && name !== 'memory'));
  return (
    isDeepStrictEqual(rest(now), rest(old)) &&
    (['requests', 'limits'] as const).every((kind) =>
      sameQuantities(others(now.resources?.[kind]), others(old.resources?.[kind])),
    )
  );
}

function sameQuantities(a: Quantities, b: Quantities): boolean {
  return (
    Object.keys(a).length === Object.keys(b).length &&
    Object.entries(a).every(([name, value]) => compareQuantities(value, b[name] ?? '') === 0)
  );
}
