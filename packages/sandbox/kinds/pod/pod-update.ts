import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors } from '@tiphys/apimachinery';
import type { PodSpec } from '../shared/shapes.ts';
import { validateTolerations } from './affinity-validation.ts';

const MAX_DEADLINE = 2147483647;

/** What of the spec of a pod may change: images, gates that go, tolerations that come, deadlines that get nearer. */
export function validatePodUpdate(now: PodSpec, before: PodSpec, errors: FieldErrors): void {
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = now[list] ?? [];
    if (containers.length !== (before[list] ?? []).length) {
      errors.forbidden(`spec.${list}`, 'pod updates may not add or remove containers');
      return;
    }
    for (const [index, { image = '' }] of containers.entries()) {
      const at = `spec.${list}[${index}].image`;
      if (!image) errors.required(at);
      if (image !== image.trim()) errors.invalid(at, image, 'must not have leading or trailing whitespace');
    }
  }
  if (!validateDeadline(now.activeDeadlineSeconds, before.activeDeadlineSeconds, errors)) return;
  validateAddedTolerations(now, before, errors);
  validateGatesGone(now, before, errors);
  if (!isDeepStrictEqual(frozen(now), frozen(before)))
    errors.forbidden(
      'spec',
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    );
}

/** False when nothing more is looked at. */
function validateDeadline(now: number | undefined, before: number | undefined, errors: FieldErrors): boolean {
  const at = 'spec.activeDeadlineSeconds';
  if (now === undefined) {
    if (before !== undefined) errors.invalid(at, null, 'must not update from a positive integer to nil value');
    return true;
  }
  if (now < 0 || now > MAX_DEADLINE) errors.invalid(at, now, `must be between 0 and ${MAX_DEADLINE}, inclusive`);
  else if (before !== undefined && before < now)
    errors.invalid(at, now, 'must be less than or equal to previous value');
  else return true;
  return false;
}

function validateAddedTolerations(now: PodSpec, before: PodSpec, errors: FieldErrors): void {
  const at = 'spec.tolerations';
  const kinds = (spec: PodSpec) => (spec.tolerations ?? []).map(({ tolerationSeconds: _, ...rest }) => rest);
  const present = kinds(now);
  if (kinds(before).every((toleration) => present.some((other) => isDeepStrictEqual(other, toleration))))
    validateTolerations(now.tolerations, at, errors);
  else errors.forbidden(at, 'existing toleration can not be modified except its tolerationSeconds');
}

function validateGatesGone(now: PodSpec, before: PodSpec, errors: FieldErrors): void {
  const gates = new Set(before.schedulingGates?.map(({ name }) => name));
  now.schedulingGates?.forEach(({ name }, index) => {
    if (gates.has(name)) return;
    errors.forbidden(
      `spec.schedulingGates[${index}].name`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  });
}

/** The spec without what may change. */
function frozen(spec: PodSpec): unknown {
  const images = (containers: PodSpec['containers']) => containers?.map(({ image: _, ...rest }) => rest);
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = spec;
  return { ...rest, containers: images(spec.containers), initContainers: images(spec.initContainers) };
}
