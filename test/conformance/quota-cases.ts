import { container, named, pod, quiet } from './admission-steps.ts';
import type { Case } from './run-case.ts';
import { apps, core, get, post } from './steps.ts';

const quota = (spec: object, name = 'q') => ({ metadata: { name }, spec });
const status = (hard: object, used: object, name = 'q') => ({
  method: 'PATCH',
  path: `${core}/resourcequotas/${name}/status`,
  body: { status: { hard, used } },
  contentType: 'application/merge-patch+json',
  quiet: true,
});

export const quotaCases: readonly Case[] = [
  {
    name: 'quota-counts',
    steps: [
      quiet(
        post(
          `${core}/resourcequotas`,
          quota({ hard: { configmaps: '1', 'count/deployments.apps': '0', services: '1', 'services.nodeports': '1' } }),
        ),
      ),
      status(
        { configmaps: '1', 'count/deployments.apps': '0', services: '1', 'services.nodeports': '1' },
        { configmaps: '0', 'count/deployments.apps': '0', services: '0', 'services.nodeports': '0' },
      ),
      {
        ...post(`${apps}/deployments?dryRun=All`, {
          ...named('web'),
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
          },
        }),
        until: 'exceeded quota',
      },
      post(`${core}/configmaps`, named('a')),
      { ...post(`${core}/configmaps`, named('b')), until: 403 },
      post(`${core}/services`, {
        ...named('s'),
        spec: {
          type: 'NodePort',
          ports: [
            { port: 1, name: 'a' },
            { port: 2, name: 'b' },
          ],
        },
      }),
      post(`${core}/services`, { ...named('s'), spec: { ports: [{ port: 1 }] } }),
      post(`${core}/services`, { ...named('s2'), spec: { ports: [{ port: 1 }] } }),
      get(`${core}/resourcequotas/q`),
    ],
  },
  {
    name: 'quota-compute',
    steps: [
      quiet(
        post(`${core}/resourcequotas`, quota({ hard: { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '2' } })),
      ),
      status(
        { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '2' },
        { 'requests.cpu': '500m', 'limits.memory': '0', pods: '0' },
      ),
      { ...post(`${core}/pods?dryRun=All`, pod('a')), until: 'failed quota' },
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, resources: { requests: { cpu: '600m' }, limits: { memory: '2Gi', cpu: '1' } } }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, resources: { requests: { cpu: '600m' }, limits: { memory: '1Gi' } } }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, resources: { requests: { cpu: '0.5' }, limits: { memory: '1Gi' } } }],
        }),
      ),
    ],
  },
  {
    name: 'quota-scopes',
    steps: [
      quiet(post(`${core}/resourcequotas`, quota({ hard: { pods: '0' }, scopes: ['BestEffort'] }))),
      status({ pods: '0' }, { pods: '0' }),
      { ...post(`${core}/pods?dryRun=All`, pod('a')), until: 'exceeded quota' },
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { containers: [{ ...container, resources: { requests: { cpu: '1' } } }] }),
      ),
    ],
  },
  {
    name: 'quota-invalid',
    steps: [
      post(`${core}/resourcequotas`, quota({ hard: { nope: '1', pods: '-1', cpu: 'x' } })),
      post(`${core}/resourcequotas`, quota({ hard: { nope: '1' } })),
      post(`${core}/resourcequotas`, quota({ hard: { pods: '1.5' } })),
      post(`${core}/resourcequotas`, quota({ hard: { 'requests.storage': '-1' } })),
      post(`${core}/resourcequotas`, quota({ hard: { configmaps: '1' }, scopes: ['BestEffort'] })),
      post(`${core}/resourcequotas`, quota({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] })),
      post(`${core}/resourcequotas`, quota({ hard: { pods: '1' }, scopes: ['Nope'] })),
      post(
        `${core}/resourcequotas`,
        quota({
          hard: { pods: '1' },
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] },
        }),
      ),
    ],
  },
];

const limits = (...items: object[]) => ({ metadata: { name: 'l' }, spec: { limits: items } });

export const limitCases: readonly Case[] = [
  {
    name: 'limit-defaults',
    steps: [
      post(
        `${core}/limitranges`,
        limits({
          type: 'Container',
          default: { cpu: '1' },
          defaultRequest: { cpu: '100m', memory: '64Mi' },
          max: { cpu: '2' },
        }),
      ),
      {
        ...post(`${core}/pods?dryRun=All`, pod('a', { initContainers: [{ ...container, name: 'init' }] })),
        until: 'LimitRanger',
      },
      post(
        `${core}/pods?dryRun=All`,
        pod('b', { containers: [{ ...container, resources: { limits: { cpu: '3' } } }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('c', {
          containers: [{ ...container, resources: { limits: { cpu: '1500m' }, requests: { memory: '1Gi' } } }],
        }),
      ),
    ],
  },
  {
    name: 'limit-bounds',
    steps: [
      quiet(
        post(
          `${core}/limitranges`,
          limits(
            { type: 'Container', min: { memory: '10Mi' }, maxLimitRequestRatio: { memory: '2' } },
            { type: 'Pod', max: { cpu: '1' } },
            { type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '4Gi' } },
          ),
        ),
      ),
      {
        ...post(
          `${core}/pods?dryRun=All`,
          pod('a', {
            containers: [{ ...container, resources: { requests: { memory: '5Mi' }, limits: { memory: '20Mi' } } }],
          }),
        ),
        until: 'usage per',
      },
      post(
        `${core}/pods?dryRun=All`,
        pod('b', {
          containers: [
            { ...container, resources: { requests: { memory: '15Mi' }, limits: { memory: '20Mi', cpu: '2' } } },
          ],
        }),
      ),
      post(`${core}/persistentvolumeclaims?dryRun=All`, {
        ...named('c'),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      post(`${core}/persistentvolumeclaims?dryRun=All`, {
        ...named('c'),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
      }),
    ],
  },
  {
    name: 'limit-invalid',
    steps: [
      post(`${core}/limitranges`, limits({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', default: { cpu: '2' }, max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', defaultRequest: { cpu: '2' }, default: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', defaultRequest: { cpu: '1' }, min: { cpu: '2' } })),
      post(`${core}/limitranges`, limits({ type: 'Pod', default: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'PersistentVolumeClaim', max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', maxLimitRequestRatio: { cpu: '0.5' } })),
      post(
        `${core}/limitranges`,
        limits({ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
      ),
      post(`${core}/limitranges`, limits({ type: 'Container' }, { type: 'Container' })),
      post(`${core}/limitranges`, limits({ type: 'example.com/Thing', max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Nope', max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', max: { 'bad name': '1' } })),
    ],
  },
];
