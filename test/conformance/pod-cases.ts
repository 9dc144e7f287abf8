import type { Case, Step } from './run-case.ts';

const PODS = '/api/v1/namespaces/{ns}/pods';

const sized = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1' } };
const sidecar = { name: 'side', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '50m' } } };
const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'i', resources: sized }],
    initContainers: [{ name: 'init', image: 'i' }, sidecar],
    ...spec,
  },
});
const create = (name: string, spec: object = {}): Step => ({
  method: 'POST',
  path: PODS,
  body: pod(name, spec),
  quiet: true,
});
const resize = (body: object, name = 'sized'): Step => ({
  method: 'PATCH',
  path: `${PODS}/${name}/resize`,
  body,
  contentType: 'application/strategic-merge-patch+json',
});
const main = (resources: object, more: object = {}) => ({
  spec: { containers: [{ name: 'main', resources, ...more }] },
});

/** Subresources of pods that change them. */
export const podCases: readonly Case[] = [
  {
    name: 'pods-resize',
    steps: [
      create('sized'),
      resize(main({ requests: { cpu: '200m' } })),
      resize(main({ limits: { cpu: '2' } })),
      resize(main({ requests: { cpu: '3' } })),
      resize(main({ requests: { cpu: null } })),
      resize(main({ limits: { cpu: null } })),
      resize(main({ requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } })),
      resize(main({ limits: { memory: '64Mi', cpu: '200m' } })),
      resize(main({}, { image: 'other' })),
      resize({ metadata: { labels: { a: 'b' } }, spec: { nodeSelector: { a: 'b' } } }),
      resize({ spec: { containers: [{ name: 'second', image: 'i' }] } }),
      resize({ spec: { initContainers: [{ name: 'side', resources: { requests: { cpu: '60m' } } }] } }),
      resize({ spec: { initContainers: [{ name: 'init', resources: { requests: { cpu: '60m' } } }] } }),
      create('best'),
      { ...resize({ spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1m' } } }] } }, 'absent') },
      { method: 'GET', path: `${PODS}/sized/resize` },
      {
        method: 'PUT',
        path: `${PODS}/sized/status`,
        body: {
          ...pod('sized'),
          status: {
            phase: 'Running',
            containerStatuses: [
              {
                name: 'main',
                image: 'i',
                imageID: '',
                ready: true,
                restartCount: 0,
                state: { running: {} },
                lastState: {},
              },
            ],
          },
        },
        quiet: true,
      },
      resize(main({ requests: { cpu: '250m' } })),
    ],
  },
  {
    name: 'claims-from-others',
    steps: [
      { dataSource: { name: '', kind: '' } },
      { dataSource: { name: 'a', kind: 'VolumeSnapshot' } },
      { dataSource: { name: 'a', kind: 'VolumeSnapshot', apiGroup: 'Bad_group' } },
      { dataSource: { name: 'a', kind: 'PersistentVolumeClaim' } },
    ].map(
      (spec): Step => ({
        method: 'POST',
        path: '/api/v1/namespaces/{ns}/persistentvolumeclaims?dryRun=All',
        body: {
          metadata: { name: 'c' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
        },
      }),
    ),
  },
];
