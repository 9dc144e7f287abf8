import type { Case } from './run-case.ts';
import { apps, core, del, get, merge, post, put, quiet } from './steps.ts';

const maps = `${core}/configmaps`;
const pods = `${core}/pods`;
const LONG = 'x'.repeat(129);
const map = (name = 'a', more: object = {}) => ({ metadata: { name, ...more } });
const entry = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };
const pod = (more: object = {}) => ({
  metadata: { name: 'a', ...more },
  spec: { containers: [{ name: 'a', image: 'i' }] },
});
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

/** Options of writes, deletions and lists that are wrong, and what is checked of metadata besides. */
export const optionCases: readonly Case[] = [
  {
    name: 'write-options-checked',
    steps: [
      ...quiet(post(maps, map())),
      ...[
        `fieldManager=${LONG}`,
        'fieldManager=a%01',
        'fieldValidation=X',
        'dryRun=X',
        'dryRun=&fieldValidation=x',
      ].flatMap((query) => [
        post(`${maps}?${query}`, map('b')),
        put(`${maps}/a?${query}`, map()),
        merge(`${maps}/a?${query}`, {}),
        del(`${maps}/none?${query}`),
      ]),
    ],
  },
  {
    name: 'managed-fields-checked',
    steps: [
      post(maps, map('a', { managedFields: [{ ...entry, manager: 'a\u0001' }] })),
      post(maps, map('a', { managedFields: [{ ...entry, manager: LONG, subresource: 'x'.repeat(257) }] })),
    ],
  },
  {
    name: 'status-keeps-metadata',
    steps: [
      ...quiet(post(pods, pod({ labels: { a: '1' } }))),
      merge(`${pods}/a/status`, { metadata: { labels: { b: '2' }, ownerReferences: [owner] } }),
      put(`${pods}/a/status`, { ...pod(), status: { podIP: '010.0.0.1', phase: 'Running' } }),
      put(`${pods}/a/status`, {
        ...pod(),
        status: {
          resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'A_b' }, { name: 'c' }],
          containerStatuses: [
            {
              name: 'a',
              image: 'i',
              imageID: 'i',
              ready: true,
              restartCount: 0,
              user: { linux: { uid: -1, gid: -1, supplementalGroups: [1, -1] } },
            },
          ],
        },
      }),
      ...quiet(
        post(`${apps}/deployments`, {
          metadata: { name: 'a', labels: { a: '1' } },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: pod().spec },
          },
        }),
        post(`${core}/services`, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } }),
      ),
      merge(`${apps}/deployments/a/status`, { metadata: { labels: { b: '2' }, ownerReferences: [owner] } }),
      merge(`${core}/services/a/status`, { metadata: { labels: { b: '2' } } }),
    ],
  },
  {
    name: 'autoscaler-status-and-versions',
    steps: [
      ...quiet(
        post('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', {
          metadata: { name: 'a' },
          spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 },
        }),
      ),
      merge('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a/status', {
        status: { currentReplicas: -1, desiredReplicas: -1 },
      }),
      ...['v2', 'v1'].map((version, index) => ({
        ...merge(
          `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers/b?fieldManager=m`,
          JSON.stringify({
            apiVersion: `autoscaling/${version}`,
            kind: 'HorizontalPodAutoscaler',
            metadata: { name: 'b' },
            spec: {
              scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
              maxReplicas: 3 + index,
            },
          }),
        ),
        contentType: 'application/apply-patch+yaml',
      })),
    ],
  },
  {
    name: 'deletion-options',
    steps: [
      ...quiet(post(maps, map()), post(maps, map('b'))),
      del(`${maps}/a?gracePeriodSeconds=x&dryRun=All`),
      del(`${maps}/a`, { body: { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['X'] } }),
      del(`${maps}?labelSelector=!!a&propagationPolicy=X`),
      del(`${maps}?limit=x&labelSelector=!!a`),
      // Beside a body the query says nothing.
      del(`${maps}/a?dryRun=All&propagationPolicy=X`, { body: { kind: 'DeleteOptions', apiVersion: 'v1' } }),
      get(`${maps}/a`),
      del(`${maps}/b?dryRun=All`),
      get(`${maps}/b`),
    ],
  },
  {
    name: 'list-options-order',
    steps: [
      get(maps, { labelSelector: '!!a', limit: 'x' }),
      get(maps, { fieldSelector: 'x', timeoutSeconds: '' }),
      get(maps, { fieldSelector: 'x', labelSelector: '!!a' }),
      get(maps, { labelSelector: 'a>9223372036854775807' }),
      get(maps, { labelSelector: 'a>9223372036854775808' }),
      get(maps, { labelSelector: 'a>9223372036854775808', resourceVersionMatch: 'X' }),
    ],
  },
];
