import { type FieldErrors, qualifiedNameProblems } from '@tiphys/apimachinery';

const CONTAINER = ['cpu', 'memory', 'ephemeral-storage'];

export const QUOTA_NAMES: ReadonlySet<string> = new Set([
  ...CONTAINER,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]);

const STANDARD = new Set([...QUOTA_NAMES, 'storage']);

const huge = (name: string): boolean => /^(requests\.)?hugepages-/.test(name);

/** Validates a name of a resource; gives whether it is one. */
export function validateResourceName(name: string, path: string, errors: FieldErrors): boolean {
  const problems = qualifiedNameProblems(name);
  for (const problem of problems) errors.invalid(path, name, problem);
  if (problems.length) return false;
  if (name.includes('/') || STANDARD.has(name) || huge(name)) return true;
  errors.invalid(path, name, 'must be a standard resource type or fully qualified');
  return false;
}

/** Validates a name of a resource that containers have. */
export function validateContainerResourceName(name: string, path: string, errors: FieldErrors): void {
  const known = validateResourceName(name, path, errors);
  if (!name.includes('/')) {
    if (!CONTAINER.includes(name) && !name.startsWith('hugepages-'))
      errors.invalid(path, name, 'must be a standard resource for containers');
    return;
  }
  const native = name.startsWith('kubernetes.io/') || /^[^/]*\.kubernetes\.io\//.test(name);
  if (known && !native && name.startsWith('requests.'))
    errors.invalid(path, name, "doesn't follow extended resource name standard");
}

/** Of these only whole numbers may be had. */
export function isIntegerResource(name: string): boolean {
  return (
    [
      'pods',
      'resourcequotas',
      'services',
      'replicationcontrollers',
      'secrets',
      'configmaps',
      'persistentvolumeclaims',
      'services.nodeports',
      'services.loadbalancers',
    ].includes(name) ||
    (name.includes('/') && !name.startsWith('requests.') && !/(^|\.)kubernetes\.io\//.test(name))
  );
}
