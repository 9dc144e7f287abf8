import type { Case, Step } from './run-case.ts';
import { apps, core, del, get, merge, PARTIAL, post, quiet, TABLE, together } from './steps.ts';

const maps = `${core}/secrets`;
const map = (name: string, labels: object = {}): Step => post(maps, { metadata: { name, labels } });
const label = (name: string, labels: object): Step => merge(`${maps}/${name}`, { metadata: { labels } });
/** A watch of one second; it says all that happened by then. */
const watch = (query: Record<string, string> = {}, more: Partial<Step> = {}, path = maps): Step =>
  get(path, { watch: 'true', timeoutSeconds: '1', ...query }, more);
const listed = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };

/** Watches: where they start, what they tell, how they are refused. */
export const watchCases: readonly Case[] = [
  {
    name: 'watch-start',
    steps: [
      ...quiet({ ...map('a'), save: { first: 'metadata.resourceVersion' } }, map('b'), label('a', { x: 'y' })),
      together(
        watch(),
        watch({ resourceVersion: '' }),
        watch({ resourceVersion: '0' }),
        watch({ resourceVersion: '{first}' }),
        watch({ resourceVersion: 'abc' }),
        watch({ resourceVersion: '-1' }),
        watch({ allowWatchBookmarks: 'false' }),
        watch({ allowWatchBookmarks: 'maybe' }),
        watch({ limit: '1' }),
        watch({ continue: 'x' }),
        watch({ watch: '1' }),
        watch({ watch: 'false' }),
        watch({ watch: 'yes' }),
        watch({ watch: '' }),
        watch({ timeoutSeconds: 'soon' }),
        watch({ resourceVersionMatch: 'Exact' }),
        watch({ resourceVersionMatch: 'NotOlderThan' }),
        watch({ resourceVersionMatch: 'NotOlderThan', resourceVersion: '{first}' }),
        watch({ resourceVersionMatch: 'Exact', resourceVersion: '{first}' }),
        watch({ labelSelector: 'a b' }),
        watch({ fieldSelector: 'data.a=b' }),
        watch({ labelSelector: 'x' }),
        watch({ labelSelector: 'x', resourceVersion: '{first}' }),
      ),
    ],
  },
  {
    name: 'watch-lists',
    steps: [
      ...quiet({ ...map('a'), save: { first: 'metadata.resourceVersion' } }, map('b', { x: 'y' })),
      together(
        watch(listed),
        watch({ ...listed, resourceVersion: '' }),
        watch({ ...listed, resourceVersion: '0' }),
        watch({ ...listed, resourceVersion: '{first}' }),
        watch({ ...listed, resourceVersion: '99999999' }),
        watch({ ...listed, resourceVersion: 'abc' }),
        watch({ ...listed, labelSelector: 'x' }),
        watch({ ...listed, labelSelector: 'none' }),
        watch({ ...listed, fieldSelector: 'metadata.name=a' }),
        watch({ ...listed, allowWatchBookmarks: 'false' }),
        watch({ sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }),
        watch({ sendInitialEvents: 'true' }),
        watch({ sendInitialEvents: 'true', resourceVersionMatch: 'Exact' }),
        watch({ sendInitialEvents: 'true', resourceVersionMatch: 'Exact', resourceVersion: '1' }),
        watch({ sendInitialEvents: 'true', resourceVersionMatch: 'Sometimes' }),
        watch({ sendInitialEvents: 'false' }),
        watch({ ...listed, sendInitialEvents: 'false' }),
        watch({ ...listed, sendInitialEvents: 'false', resourceVersion: '0' }),
        watch({ ...listed, sendInitialEvents: 'maybe' }),
        get(maps, { sendInitialEvents: 'true' }),
        get(maps, { sendInitialEvents: 'false' }),
        get(maps, { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }),
        watch(listed, { accept: TABLE }),
        watch(listed, { accept: PARTIAL }),
        watch({ ...listed, labelSelector: 'none' }, { accept: TABLE }),
        watch({ ...listed, labelSelector: 'none' }, { accept: PARTIAL }),
      ),
    ],
  },
  {
    name: 'watch-selections',
    steps: [
      ...quiet({ ...map('start'), save: { first: 'metadata.resourceVersion' } }),
      ...quiet(
        map('a', { in: 'yes' }),
        map('b'),
        label('b', { in: 'yes' }),
        label('b', { more: '1' }),
        label('b', { in: 'no' }),
        label('b', { in: 'never' }),
        label('b', { in: 'yes' }),
        label('a', { in: null }),
        del(`${maps}/a`),
        del(`${maps}/b`),
      ),
      together(
        watch({ resourceVersion: '{first}' }),
        watch({ resourceVersion: '{first}', labelSelector: 'in=yes' }),
        watch({ resourceVersion: '{first}', labelSelector: 'in=yes' }, { accept: TABLE }),
        watch({ resourceVersion: '{first}', labelSelector: 'in=yes' }, { accept: PARTIAL }),
        watch({ resourceVersion: '{first}', labelSelector: 'in!=yes' }),
        watch({ resourceVersion: '{first}', fieldSelector: 'metadata.name=b' }),
        watch({ resourceVersion: '{first}', fieldSelector: 'metadata.name=b,metadata.namespace={ns}' }),
        watch({ resourceVersion: '{first}', fieldSelector: 'metadata.name=b', labelSelector: 'in=yes' }),
        watch({ resourceVersion: '{first}', fieldSelector: 'metadata.name!=b' }),
        watch({ resourceVersion: '{first}', fieldSelector: 'metadata.namespace={ns}' }, {}, '/api/v1/secrets'),
        get(`/api/v1/watch/namespaces/{ns}/secrets`, { timeoutSeconds: '1', resourceVersion: '{first}' }),
        get(`/api/v1/watch/namespaces/{ns}/secrets/b`, { timeoutSeconds: '1', resourceVersion: '{first}' }),
        get(`/api/v1/watch/secrets`, {
          timeoutSeconds: '1',
          resourceVersion: '{first}',
          fieldSelector: 'metadata.namespace={ns}',
        }),
        get(`${maps}/b`, { watch: 'true', timeoutSeconds: '1', resourceVersion: '{first}' }),
      ),
    ],
  },
  {
    name: 'watch-names',
    steps: [
      ...quiet(map('a'), map('b')),
      together(
        get(`${maps}/a`, { watch: 'true', timeoutSeconds: '1' }),
        get(`${maps}/none`, { watch: 'true', timeoutSeconds: '1' }),
        get(`/api/v1/watch/namespaces/{ns}/secrets/a`, { timeoutSeconds: '1' }),
        get(`/api/v1/watch/namespaces/{ns}/secrets/none`, { timeoutSeconds: '1' }),
        get(`/api/v1/watch/namespaces/{ns}`, { timeoutSeconds: '1' }),
        get(`/api/v1/watch/namespaces/{ns}/secrets/a/status`, { timeoutSeconds: '1' }),
        get(`/api/v1/watch/namespaces/{ns}/nothings`, { timeoutSeconds: '1' }),
        get(`/apis/apps/v1/watch/namespaces/{ns}/deployments`, { timeoutSeconds: '1' }),
        get('/api/v1/namespaces/{ns}', { watch: 'true', timeoutSeconds: '1' }),
        get('/api/v1/namespaces', { watch: 'true', timeoutSeconds: '1', fieldSelector: 'metadata.name={ns}' }),
        watch({ fieldSelector: 'metadata.name=a' }),
        watch({ fieldSelector: 'metadata.name=none' }),
        watch({ fieldSelector: 'metadata.name=a', resourceVersion: '0' }),
        watch({ fieldSelector: 'metadata.name=x_Y' }),
        watch({}, { accept: 'application/yaml' }),
        watch({}, { accept: 'application/json;stream=watch' }),
        watch({}, { accept: 'text/plain' }),
        watch({ includeObject: 'None' }, { accept: TABLE }),
        watch({ includeObject: 'Object' }, { accept: TABLE }),
        watch({ includeObject: 'All' }, { accept: TABLE }),
        watch({}, { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' }),
        watch({}, { compareHeaders: ['content-type', 'cache-control', 'transfer-encoding'] }),
        post(`/api/v1/watch/namespaces/{ns}/secrets`, { metadata: { name: 'w' } }),
        del(`/api/v1/watch/namespaces/{ns}/secrets/a`),
        get(`${core}/bindings`, { watch: 'true' }),
      ),
    ],
  },
  {
    name: 'watch-live',
    steps: [
      ...quiet(map('a')),
      {
        ...watch({ labelSelector: 'in=yes', timeoutSeconds: '2' }, { accept: TABLE }),
        meanwhile: [
          label('a', { in: 'yes' }),
          label('a', { in: 'yes', b: 'c' }),
          merge(`${maps}/a`, { metadata: { finalizers: ['example.com/wait'] } }),
          del(`${maps}/a`),
          merge(`${maps}/a`, { metadata: { finalizers: null } }),
        ],
      },
      {
        ...get(
          `${apps}/deployments`,
          { watch: 'true', timeoutSeconds: '2', fieldSelector: 'metadata.name=d' },
          { accept: TABLE },
        ),
        meanwhile: [
          post(`${apps}/deployments`, {
            metadata: { name: 'd' },
            spec: {
              selector: { matchLabels: { a: 'b' } },
              template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
            },
          }),
          merge(`${apps}/deployments/d`, { spec: { replicas: 3 } }),
          merge(`${apps}/deployments/d/status`, { status: { replicas: 2, readyReplicas: 1 } }),
          del(`${apps}/deployments/d`),
        ],
      },
    ],
  },
];
