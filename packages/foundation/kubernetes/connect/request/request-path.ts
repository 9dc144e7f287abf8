import type { ApiResource, DeleteOptions, ListOptions, PodLogOptions, WriteOptions } from '../client.ts';

/** URL path of a resource's collection; without namespace, of all namespaces. */
export function resourcePath(resource: Pick<ApiResource, 'group' | 'version' | 'plural'>, namespace?: string): string {
  const base = resource.group ? `/apis/${resource.group}/${resource.version}` : `/api/${resource.version}`;
  return `${base}${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${resource.plural}`;
}

/** The segment of a path that leads to another one: what is called so by a caller is no name, and proxies would follow it. */
export function wayUp(path: string): string | undefined {
  return path
    .split('?', 1)[0]
    ?.split('/')
    .find((segment) => segment === '.' || segment === '..');
}

/** Query of a list, watch or deletion of a collection, with its `?`; empty if there is nothing to say. */
export function listQuery(options: ListOptions, extra: Record<string, string> = {}): string {
  const query = new URLSearchParams(extra);
  if (options.labelSelector) query.set('labelSelector', options.labelSelector);
  if (options.fieldSelector) query.set('fieldSelector', options.fieldSelector);
  if (options.limit) query.set('limit', String(options.limit));
  if (options.continue) query.set('continue', options.continue);
  if (options.resourceVersion !== undefined) query.set('resourceVersion', options.resourceVersion);
  if (options.resourceVersionMatch) query.set('resourceVersionMatch', options.resourceVersionMatch);
  return query.size > 0 ? `?${query}` : '';
}

/** Body of a deletion. */
export function deleteBody(options: DeleteOptions): Record<string, unknown> {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(propagationPolicy ? { propagationPolicy } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions ? { preconditions } : {}),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  };
}

/** Query of a write, with its `?`; empty if there is nothing to say. */
export function writeQuery(options: WriteOptions & { force?: boolean }): string {
  const query = new URLSearchParams();
  if (options.dryRun) query.set('dryRun', 'All');
  if (options.fieldManager) query.set('fieldManager', options.fieldManager);
  if (options.fieldValidation) query.set('fieldValidation', options.fieldValidation);
  if (options.force) query.set('force', 'true');
  return query.size > 0 ? `?${query}` : '';
}

/** Path and query of a pod's log. */
export function logPath(ref: { namespace: string; name: string }, options: Omit<PodLogOptions, 'signal'>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(options)) if (value !== undefined) query.set(key, String(value));
  return `/api/v1/namespaces/${encodeURIComponent(ref.namespace)}/pods/${encodeURIComponent(ref.name)}/log?${query}`;
}

/** Whether the path is that of Secrets, of one or of a subresource. */
export function isSecretPath(path: string): boolean {
  return /^\/api\/v1\/(?:namespaces\/[^/?]+\/)?secrets(?:[/?]|$)/.test(path);
}
