import type { Draft, FamilyFault } from './families.ts';

const embeddedBus: Draft = { kind: 'EventBus', metadata: { name: 'default' }, spec: { embedded: {} } };
const hook: Draft = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'hook' },
  stringData: { token: 'of-the-source-MARKER' },
};

const analysed = (metric: object): Draft[] => [
  { kind: 'AnalysisTemplate', metadata: { name: 'check' }, spec: { metrics: [{ name: 'm', ...metric }] } },
  {
    kind: 'Rollout',
    metadata: { name: 'x' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'm', image: 'a:1' }] } },
      strategy: { canary: { steps: [{ analysis: { templates: [{ templateName: 'check' }] } }] } },
    },
  },
];
const second = { spec: { template: { spec: { containers: [{ name: 'm', image: 'a:2' }] } } } };

const github = (port: number): Draft => ({
  kind: 'EventSource',
  metadata: { name: 'x' },
  spec: {
    github: {
      push: {
        owner: 'shop',
        repository: 'web',
        events: ['push'],
        webhook: { endpoint: '/unsigned', port: String(port), method: 'POST' },
        webhookSecret: { name: 'hook', key: 'token' },
      },
    },
  },
});

const workflow = (spec: object): Draft => ({ kind: 'Workflow', metadata: { name: 'x' }, spec });

/** Variants of the catalogue beside Applications that no other row has. */
export const lateFamilyFaults: readonly FamilyFault[] = [
  {
    id: 'O2',
    title: 'an answer of a provider that lacks what is measured',
    objects: ({ measured }) =>
      analysed({
        interval: '1s',
        count: 10,
        consecutiveErrorLimit: 1,
        provider: { web: { url: measured, jsonPath: '{$.gone}' } },
        successCondition: 'result > 0.95',
      }),
    of: 'Rollout/x',
    then: second,
    code: 'RolloutAnalysisNotMeasured',
    contains: [/\{\$\.gone\} is not in the answer, which has rate/],
    excludes: [/assessed Failed/, /measured a failure/],
  },
  {
    id: 'O2',
    title: 'a condition that compares what cannot be compared',
    objects: ({ measured }) =>
      analysed({
        interval: '1s',
        count: 10,
        consecutiveErrorLimit: 1,
        provider: { web: { url: measured, jsonPath: '{$}' } },
        successCondition: 'result > 0.95',
      }),
    of: 'Rollout/x',
    then: second,
    code: 'RolloutAnalysisNotMeasured',
    contains: [/result > 0\.95/],
    excludes: [/assessed Failed/, /measured a failure/],
  },
  {
    id: 'E3',
    title: 'a sender that does not sign',
    objects: ({ port }) => [embeddedBus, hook, github(port)],
    of: 'EventSource/x',
    act: async (_stage, { port }) => {
      const headers = { 'content-type': 'application/json', 'x-github-event': 'push' };
      await (await fetch(`http://127.0.0.1:${port}/unsigned`, { method: 'POST', headers, body: '{}' })).text();
    },
    code: 'EventSenderRefused',
    contains: [/X-Hub-Signature-256/],
    excludes: [/another secret/],
  },
  {
    id: 'W1',
    title: 'a pod that its node is too full for',
    objects: [
      workflow({
        entrypoint: 'main',
        templates: [
          { name: 'main', container: { image: 'a', command: ['true'], resources: { requests: { memory: '900Gi' } } } },
        ],
      }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowPodNotStarted',
    contains: [/memory/],
  },
  {
    id: 'W6',
    title: 'a step whose program is not in the image',
    objects: [
      workflow({
        entrypoint: 'main',
        templates: [{ name: 'main', container: { image: 'a', command: ['does-not-exist'] } }],
      }),
    ],
    of: 'Workflow/x',
    contains: [/does-not-exist/],
  },
];
