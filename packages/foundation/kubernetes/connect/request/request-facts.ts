/** What a path of the Kubernetes API is about, in the words of the metrics of Argo CD and Argo Rollouts. */
export interface RequestFacts {
  readonly verb: 'Get' | 'List' | 'Watch' | 'Create' | 'Update' | 'Patch' | 'Delete' | 'Unknown';
  /** Plural name, such as `deployments`; empty for paths that name no resource. */
  readonly kind: string;
  readonly namespace: string;
  /** Empty for lists and for what is made. */
  readonly name: string;
}

const writes: Record<string, RequestFacts['verb']> = {
  POST: 'Create',
  PUT: 'Update',
  PATCH: 'Patch',
  DELETE: 'Delete',
};

/** `/apis/apps/v1/namespaces/shop/deployments/web/status` is about a Deployment of `shop`, whatever the subresource. */
export function requestFacts(method: string, path: string, watch: boolean): RequestFacts {
  const match = /^\/(?:api|apis\/[^/]+)\/v\d[^/]*(\/.*)?$/.exec(path);
  const segments = (match?.[1] ?? '').split('/').filter(Boolean);
  const scoped = segments[0] === 'namespaces' && segments.length > 2;
  const [kind = '', name = ''] = scoped ? segments.slice(2) : segments;
  const verb = method === 'GET' ? (watch ? 'Watch' : !name && kind ? 'List' : 'Get') : (writes[method] ?? 'Unknown');
  return { verb, kind, namespace: scoped ? (segments[1] ?? '') : '', name };
}
