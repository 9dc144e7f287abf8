import type { FieldErrors } from '@tiphys/apimachinery';
import { compareQuantities, formatQuantity, parseQuantity } from '@tiphys/kubernetes';
import { validateResourceName } from '../shared/container-resources.ts';
import { type Amounts, type Requirements, validateRequirements } from '../shared/resource-requirements.ts';
import type { Container, PodSpec } from '../shared/shapes.ts';

/** Resources of whole pods: what they are without being told, and the API server's rules for them. */
type Side = 'requests' | 'limits';

type Spec = PodSpec & { resources?: Requirements; os?: { name?: string } };

const isHuge = (name: string): boolean => name.startsWith('hugepages-');

const isSupported = (name: string): boolean => name === 'cpu' || name === 'memory' || isHuge(name);

function add(sum: Amounts, more: Amounts | undefined): void {
  for (const [name, amount] of Object.entries(more ?? {})) {
    const [left, right] = [parseQuantity(sum[name] ?? '0'), parseQuantity(amount)];
    if (left && right) sum[name] = formatQuantity({ nano: left.nano + right.nano, format: right.format });
  }
}

function raise(sum: Amounts, least: Amounts): void {
  for (const [name, amount] of Object.entries(least))
    if (sum[name] === undefined || (compareQuantities(sum[name], amount) ?? 0) < 0) sum[name] = amount;
}

/** What a pod's containers have together: all that run beside each other, or the hungriest that runs before. */
function together({ containers = [], initContainers = [] }: PodSpec, side: Side): Amounts {
  const of = ({ resources }: Container): Amounts | undefined => (resources as Requirements | undefined)?.[side];
  const total: Amounts = {};
  for (const container of containers) add(total, of(container));
  const sidecars: Amounts = {};
  const before: Amounts = {};
  for (const container of initContainers) {
    const own: Amounts = { ...sidecars };
    add(own, of(container));
    if (container.restartPolicy === 'Always') {
      add(sidecars, of(container));
      add(total, of(container));
    }
    raise(before, own);
  }
  raise(total, before);
  return total;
}

/** Fills in requests by what containers ask for or else by limits, and limits of huge pages by those of containers. */
export function defaultPodResources(podSpec: PodSpec): void {
  const { resources } = podSpec as Spec;
  if (!resources) return;
  if (Object.keys({ ...resources.limits, ...resources.requests }).length) {
    const limits: Amounts = { ...resources.limits };
    for (const [name, amount] of Object.entries(together(podSpec, 'limits')))
      if (isHuge(name) && resources.requests?.[name] === undefined) limits[name] ??= amount;
    if (Object.keys(limits).length) resources.limits = limits;
  }
  if (!Object.keys(resources.limits ?? {}).length) return;
  const requests: Amounts = { ...resources.requests };
  for (const [name, amount] of Object.entries(together(podSpec, 'requests')))
    if (isSupported(name) && !isHuge(name)) requests[name] ??= amount;
  for (const [name, amount] of Object.entries(resources.limits ?? {})) if (isSupported(name)) requests[name] ??= amount;
  if (Object.keys(requests).length) resources.requests = requests;
}

export function validatePodResources(
  podSpec: PodSpec,
  path: string,
  claims: readonly string[],
  errors: FieldErrors,
): void {
  const spec = podSpec as Spec;
  const { resources } = spec;
  const at = `${path}.resources`;
  if (!resources) return;
  if (spec.os?.name === 'windows') {
    errors.forbidden(at, 'may not be set for a windows pod');
    return;
  }
  if (resources.claims) errors.forbidden(`${at}.claims`, 'claims may not be set for Resources at pod-level');
  const nameRule = (name: string, here: string) => {
    if (validateResourceName(name, here, errors) && !isSupported(name))
      errors.notSupported(here, name, ['cpu', 'hugepages-', 'memory']);
  };
  validateRequirements(resources, at, { nameRule, claims }, errors);
  validateShares(spec, resources, at, errors);
}

/** A pod has no less than its containers together, and limits no container exceeds. */
function validateShares(spec: Spec, resources: Requirements, at: string, errors: FieldErrors): void {
  const check = (side: Side, name: string, amount: string) => {
    const own = resources[side]?.[name];
    if (own !== undefined && (compareQuantities(amount, own) ?? 0) > 0)
      errors.invalid(
        `${at}.${side}[${name}]`,
        own,
        `must be greater than or equal to aggregate container ${side} of ${amount}`,
      );
  };
  for (const [name, amount] of Object.entries(together(spec, 'requests'))) check('requests', name, amount);
  for (const [name, amount] of Object.entries(together(spec, 'limits')))
    if (isHuge(name)) check('limits', name, amount);
  for (const [index, container] of (spec.containers ?? []).entries())
    for (const [name, amount] of Object.entries(container.resources?.limits ?? {})) {
      const own = resources.limits?.[name];
      if (own !== undefined && (compareQuantities(amount, own) ?? 0) > 0)
        errors.invalid(
          `${at}.containers[${index}][${name}].limits`,
          amount,
          `must be less than or equal to pod limits of ${own}`,
        );
    }
}
