import type { RequestRecord } from '@tiphys/kubernetes';

const verbs: Readonly<Record<string, string>> = { POST: 'Create', PUT: 'Update', PATCH: 'Patch' };

/** The resource and the verb of a request as Kubernetes' clients name them in metrics: `pods`, `Create`. */
export function requestOf({ method, path, watch }: Pick<RequestRecord, 'method' | 'path' | 'watch'>): {
  kind: string;
  verb: string;
} {
  const parts = path.split('/').filter(Boolean);
  // api/VERSION or apis/GROUP/VERSION, then namespaces/NAME if there is more behind it
  let rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  if (rest[0] === 'namespaces' && rest.length > 2) rest = rest.slice(2);
  const kind = rest[0] ?? 'Unknown';
  const isNamed = rest.length > 1;
  if (method === 'GET') return { kind, verb: watch ? 'Watch' : isNamed ? 'Get' : 'List' };
  if (method === 'DELETE') return { kind, verb: isNamed ? 'Delete' : 'DeleteCollection' };
  return { kind, verb: verbs[method] ?? method };
}
