import { flag } from './list-options.ts';

/** What a request is about, as the API server's filters understand its path. */
export interface RequestInfo {
  readonly resourceRequest: boolean;
  readonly path: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the method in lower case for other paths. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  /** Everything after the name, such as `status` or `proxy/metrics`. */
  readonly subresource: string;
  readonly rest: string;
}

const VERBS: Record<string, string> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const none: RequestInfo = {
    resourceRequest: false,
    path,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    plural: '',
    name: '',
    subresource: '',
    rest: '',
  };
  const parts = path.split('/').filter(Boolean);
  const legacy = parts[0] === 'api';
  if (!legacy && parts[0] !== 'apis') return none;
  const head = legacy ? 2 : 3;
  const base = { ...none, group: legacy ? '' : (parts[1] ?? ''), version: parts[head - 1] ?? '' };
  if (parts.length <= head) return base;
  let verb = VERBS[method] ?? method.toLowerCase();
  let index = head;
  let watching = false;
  if (parts[index] === 'watch') {
    watching = true;
    index += 1;
  }
  let namespace = '';
  let rest = parts.slice(index);
  if (rest[0] === 'namespaces' && rest[1] !== undefined) {
    namespace = decode(rest[1]);
    if (rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] as string)) rest = rest.slice(2);
  }
  const plural = decode(rest[0] ?? '');
  const name = rest[1] === undefined ? '' : decode(rest[1]);
  if (watching) verb = 'watch';
  if (!name) {
    if (verb === 'get') verb = flag(query.get('watch')) ? 'watch' : 'list';
    if (verb === 'delete') verb = 'deletecollection';
  }
  return {
    ...base,
    resourceRequest: true,
    verb,
    namespace,
    plural,
    name,
    subresource: rest[2] === undefined ? '' : decode(rest[2]),
    rest: rest.slice(3).map(decode).join('/'),
  };
}

function decode(part: string): string {
  return part.includes('%') ? decodeURIComponent(part) : part;
}
