import type { Case, Step } from './run-case.ts';
import { core, get, merge, post, quiet, together } from './steps.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const HEADERS = ['cache-control', 'content-type', 'vary', 'content-encoding', 'x-content-type-options'];
const asked = (path: string, headers: Record<string, string> = {}, more: Partial<Step> = {}): Step =>
  get(path, {}, { headers, compareHeaders: HEADERS, ...more });
const method = (name: string, path: string, more: Partial<Step> = {}): Step => ({ method: name, path, ...more });
const big = (name: string, size: number) => ({ metadata: { name }, data: { a: 'x'.repeat(size) } });
const gzip = { 'accept-encoding': 'gzip' };
const none = `${core}/configmaps/none`;
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

/** What HTTP itself says of requests and answers. */
export const httpCases: readonly Case[] = [
  {
    name: 'methods',
    steps: [
      together(
        ...['HEAD', 'OPTIONS', 'TRACE', 'SEARCH', 'POST'].map((name) => method(name, '/api/v1/namespaces/default')),
        ...['HEAD', 'OPTIONS', 'PUT', 'PATCH'].map((name) => method(name, '/api/v1/namespaces')),
        ...['HEAD', 'POST', 'OPTIONS', 'DELETE'].map((name) => method(name, '/version')),
        ...['/api', '/api/v1', '/apis/apps', '/apis/apps/v1'].flatMap((path) => [
          method('POST', path),
          method('HEAD', path),
        ]),
        method('HEAD', '/apis'),
        ...['HEAD', 'POST', 'DELETE'].map((name) => method(name, '/healthz')),
        method('OPTIONS', '/api/v1/namespaces', { accept: 'text/html' }),
      ),
    ],
  },
  {
    name: 'unknown-paths',
    steps: [
      together(
        ...['/readyz/', '/livez/none', '/healthz/ping/x', '/openapi', '/openapi/v4', '/nothing', '/apis/none'].map(
          (path) => asked(path),
        ),
        asked('/openapi/v3/none'),
        ...['/apis/apps/v9', '/api/v2', '/apis/apps/v1/none', '/api/v1/namespaces/default/pods/x/none'].map((path) =>
          asked(path),
        ),
        ...['/api/v1/none', '/apis/apps/v9'].map((path) => asked(path, {}, { accept: 'text/html', asText: true })),
      ),
    ],
  },
  {
    name: 'probes',
    steps: [
      together(
        ...['/healthz', '/livez', '/readyz', '/readyz?exclude=etcd', '/readyz?exclude=none'].map((path) => asked(path)),
        ...['/livez/ping', '/readyz/etcd', '/livez/etcd?verbose', '/readyz/informer-sync'].map((path) => get(path)),
      ),
    ],
  },
  {
    name: 'pretty',
    steps: [
      together(
        ...['true', '1', 'T', 'false', '0', 'x', ''].map((pretty) => get(none, { pretty }, { asText: true })),
        ...['curl/8', 'Wget/1', 'Mozilla/5.0 (X)', 'Mozilla/4', 'xcurl'].map((agent) =>
          asked(none, { 'user-agent': agent }, { asText: true }),
        ),
        asked(`${none}?pretty=false`, { 'user-agent': 'curl/8' }, { asText: true }),
        asked('/apis/batch', { 'user-agent': 'curl/8' }, { asText: true }),
        asked('/apis/batch/v1?pretty=1', {}, { asText: true }),
        asked('/api/v1/namespaces/default', { 'user-agent': 'curl/8' }, { accept: 'text/html', asText: true }),
        asked(none, { 'user-agent': 'curl/8' }, { accept: 'application/yaml', asText: true }),
        asked('/apis/batch', {}, { accept: 'application/yaml', asText: true }),
      ),
    ],
  },
  {
    name: 'gzip',
    steps: [
      ...quiet(post(`${core}/configmaps`, big('long', 200_000)), post(`${core}/configmaps`, big('short', 100_000))),
      together(
        asked(`${core}/configmaps/long`, gzip, { omit: ['data', 'managedFields'] }),
        asked(`${core}/configmaps/long`, { 'accept-encoding': 'deflate' }, { omit: ['data', 'managedFields'] }),
        asked(`${core}/configmaps/short`, gzip, { omit: ['data', 'managedFields'] }),
        asked(`${core}/configmaps`, gzip, { omit: ['items'] }),
        asked(`${core}/configmaps`, { 'accept-encoding': 'br, gzip;q=0.5' }, { omit: ['items'] }),
        asked(`${core}/configmaps`, {}, { omit: ['items'] }),
        merge(
          `${core}/configmaps/long`,
          {},
          { headers: gzip, compareHeaders: HEADERS, omit: ['data', 'managedFields'] },
        ),
        asked('/openapi/v2', gzip, { omit: ['paths', 'definitions', 'security', 'securityDefinitions'] }),
        asked('/apis', gzip, { accept: AGGREGATED, omit: ['items'] }),
      ),
    ],
  },
  {
    name: 'documents-by-hash',
    steps: [
      asked('/openapi/v2', {}, { accept: 'text/plain' }),
      ...['*/*', 'application/json', 'text/plain, application/*'].map((accept) =>
        asked('/openapi/v2', {}, { accept, omit: ['paths', 'definitions', 'security', 'securityDefinitions'] }),
      ),
      asked('/openapi/v3', {}, { omit: ['paths'] }),
      asked('/openapi/v3/apis/apps/v1', {}, { omit: ['paths', 'components'], saveHeader: { etag: 'etag' } }),
      asked('/openapi/v3/apis/apps/v1', { 'if-none-match': '{etag}' }),
      asked('/openapi/v3/apis/apps/v1', { 'if-none-match': '"other"' }, { omit: ['paths', 'components'] }),
      asked('/openapi/v3/apis/apps/v1?hash=other'),
      asked('/openapi/v3/apis/apps/v1?hash=', {}, { omit: ['paths', 'components'] }),
      asked('/apis', {}, { accept: AGGREGATED, omit: ['items'], saveHeader: { list: 'etag' } }),
      asked('/apis', { 'if-none-match': '{list}' }, { accept: AGGREGATED }),
      asked('/api', {}, { accept: AGGREGATED, omit: ['items'] }),
    ],
  },
  {
    name: 'long-bodies',
    steps: [
      post(`${core}/configmaps`, big('long', 3 * 1024 * 1024)),
      merge(none, { data: { a: 'x'.repeat(3 * 1024 * 1024 + 1) } }),
      post(roles, {
        metadata: { name: '{ns}' },
        rules: [{ verbs: ['get'], apiGroups: [''], resources: ['x'.repeat(1_700_000)] }],
      }),
      get(`${roles}/{ns}`),
      post(`${core}/configmaps`, big('over', 1024 * 1024 + 1)),
      post(`${core}/configmaps`, big('just', 1024 * 1024), { omit: ['data', 'managedFields'] }),
      post(`${core}/configmaps`, { ...big('both', 600_000), binaryData: { b: 'eHh4'.repeat(200_000) } }),
      post(`${core}/secrets`, { metadata: { name: 'over' }, data: { a: 'eHh4'.repeat(349_526) } }),
      post(
        `${core}/secrets`,
        { metadata: { name: 'just' }, data: { a: 'eHh4'.repeat(349_525) } },
        { omit: ['data', 'managedFields'] },
      ),
    ],
  },
  {
    name: 'other-encodings',
    steps: [
      together(
        post(`${core}/configmaps`, 'x', { contentType: 'application/cbor' }),
        asked(none, {}, { accept: 'application/cbor', asText: true }),
        asked(`${core}/configmaps`, {}, { accept: 'application/cbor', asText: true }),
        merge(none, 'x', { contentType: 'application/apply-patch+cbor' }),
        asked('/apis', {}, { accept: 'application/cbor, application/json', omit: ['groups'] }),
      ),
    ],
  },
  {
    name: 'impersonating-nobody',
    steps: [
      { 'impersonate-group': 'a' },
      { 'impersonate-uid': 'a' },
      { 'impersonate-extra-scopes': 'a' },
      { 'impersonate-group': 'a', 'impersonate-uid': 'b', 'impersonate-extra-x': 'c' },
    ].map((headers) => asked('/api/v1/namespaces', headers)),
  },
];
