import { setTimeout as pause } from 'node:timers/promises';
import { argo, type Draft, type FamilyFault } from './families.ts';
import { noPods } from './family-drafts.ts';

const service = (name: string): Draft => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
});
const rollout = (canary: object, spec: object = {}): Draft => ({
  kind: 'Rollout',
  metadata: { name: 'x' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'm', image: 'a:1' }] } },
    strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }], ...canary } },
    ...spec,
  },
});
const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'm', image: name }] } } } });
const routed = (trafficRouting: object): Draft[] => [
  service('stable'),
  service('canary'),
  rollout({ canaryService: 'canary', stableService: 'stable', trafficRouting }),
];
const analysed = (metric: object, template: object = {}): Draft[] => [
  { kind: 'AnalysisTemplate', metadata: { name: 'check' }, spec: { metrics: [{ name: 'm', ...metric }], ...template } },
  rollout({ steps: [{ analysis: { templates: [{ templateName: 'check' }] } }] }),
];

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

export const rolloutFaults: readonly FamilyFault[] = [
  {
    id: 'O9',
    title: 'one Service for stable and canary',
    objects: [service('s'), rollout({ canaryService: 's', stableService: 's' })],
    of: 'Rollout/x',
    code: 'RolloutInvalid',
    contains: [
      /same service for the stable and canary services/,
      /"field":"spec\.strategy\.canary\.stableService"/,
      /Create a second Service like s/,
    ],
    mend: async ({ create, patch }) => {
      await create(service('t'));
      await patch('Rollout/x', { spec: { strategy: { canary: { canaryService: 't' } } } });
    },
  },
  {
    id: 'O5',
    title: 'a Service that is not there',
    objects: [service('stable'), rollout({ canaryService: 'gone', stableService: 'stable' })],
    of: 'Rollout/x',
    code: 'RolloutReferenceMissing',
    contains: [
      /canaryService: Invalid value: "gone": service "gone" not found/,
      /Create Service gone in namespace target-/,
      /"field":"spec\.strategy\.canary\.canaryService"/,
    ],
    mend: ({ create }) => create(service('gone')),
  },
  {
    id: 'O9',
    title: 'a Rollout with several mistakes at once',
    objects: [
      rollout(
        { steps: [{ setWeight: 150 }, { setCanaryScale: { replicas: 1 } }], maxSurge: 0, maxUnavailable: 0 },
        { progressDeadlineSeconds: 5, minReadySeconds: 10 },
      ),
    ],
    of: 'Rollout/x',
    code: 'RolloutInvalid',
    contains: [
      /"field":"spec\.progressDeadlineSeconds"/,
      /"field":"spec\.strategy\.canary\.maxSurge"/,
      /"field":"spec\.strategy\.canary\.steps\[0\]\.setWeight"/,
      /SetWeight needs to be between 0 and 100/,
      /"field":"spec\.strategy\.canary\.trafficRouting"/,
    ],
    mend: ({ patch }) =>
      patch('Rollout/x', {
        spec: {
          minReadySeconds: 0,
          progressDeadlineSeconds: 60,
          strategy: { canary: { steps: [{ setWeight: 50 }], maxSurge: 1 } },
        },
      }),
  },
  {
    id: 'O9',
    title: 'a Service that selects no pod of the Rollout',
    objects: [
      service('stable'),
      { ...service('canary'), spec: { selector: { app: 'y' }, ports: [{ port: 80 }] } },
      rollout({ canaryService: 'canary', stableService: 'stable' }),
    ],
    of: 'Rollout/x',
    code: 'RolloutInvalid',
    contains: [/has unmatch label "app" in rollout/, /metadata\.labels\.app to "y"/, /selector of Service canary/],
    mend: ({ patch }) => patch('Service/canary', { spec: { selector: { app: 'x' } } }),
  },
  {
    id: 'O9',
    title: 'a template that the API server refuses',
    objects: [
      rollout(
        {},
        {
          template: {
            metadata: { labels: { app: 'x' } },
            spec: { containers: [{ name: 'm', image: 'a:1', ports: [{ containerPort: 99999 }] }] },
          },
        },
      ),
    ],
    of: 'Rollout/x',
    code: 'ObjectInvalid',
    contains: [/containerPort/, /99999/],
    mend: ({ patch }) => patch('Rollout/x', image('a:1')),
  },
  {
    id: 'O5',
    title: 'a VirtualService that is not there',
    objects: routed({ istio: { virtualService: { name: 'gone' } } }),
    of: 'Rollout/x',
    code: 'RolloutReferenceMissing',
    contains: [/virtualservices\.networking\.istio\.io "gone" not found/, /Create VirtualService gone/],
  },
  {
    id: 'O5',
    title: 'a router whose definition the cluster lacks',
    objects: routed({ traefik: { weightedTraefikServiceName: 't' } }),
    of: 'Rollout/x',
    code: 'KindNotServed',
    contains: [/does not serve the kind TraefikService/, /Install the CustomResourceDefinition/],
    mend: ({ patch }) => patch('Rollout/x', { spec: { strategy: { canary: { trafficRouting: null } } } }),
  },
  {
    id: 'O5',
    title: 'a plugin of a router that nobody installed',
    objects: routed({ plugins: { 'example/gone': {} } }),
    of: 'Rollout/x',
    code: 'RolloutsPluginInvalid',
    contains: [/example\/gone/, /not configured/],
    mend: ({ patch }) => patch('Rollout/x', { spec: { strategy: { canary: { trafficRouting: null } } } }),
  },
  {
    id: 'AnalysisInvalid',
    title: 'an analysis whose template is not there',
    objects: [rollout({ steps: [{ analysis: { templates: [{ templateName: 'gone' }] } }] })],
    of: 'Rollout/x',
    code: 'RolloutReferenceMissing',
    contains: [/AnalysisTemplate 'gone' not found/, /Create the template gone/, /steps\[0\]\.analysis/],
    mend: ({ patch }) => patch('Rollout/x', { spec: { strategy: { canary: { steps: null } } } }),
  },
  {
    id: 'O9',
    title: 'an analysis whose template wants an argument that nobody gives',
    objects: analysed(
      { provider: { prometheus: { address: 'http://{{args.host}}', query: 'up' } } },
      { args: [{ name: 'host' }] },
    ),
    of: 'Rollout/x',
    code: 'RolloutInvalid',
    contains: [/args\.host was not resolved/, /Give host a value in the args/],
    mend: ({ patch }) =>
      patch('Rollout/x', { spec: { strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } } }),
  },
  {
    id: 'O2',
    title: 'a provider of metrics that cannot be reached',
    objects: analysed({
      interval: '1s',
      count: 10,
      consecutiveErrorLimit: 1,
      provider: { prometheus: { address: 'http://127.0.0.1:1', query: 'up' } },
      successCondition: 'result[0] > 0',
    }),
    of: 'Rollout/x',
    then: image('a:2'),
    code: 'RolloutAnalysisNotMeasured',
    contains: [/assessed Error due to consecutiveErrors/, /127\.0\.0\.1/],
    excludes: [/assessed Failed/, /measured a failure/],
  },
  {
    id: 'O2',
    title: 'a provider of metrics that refuses the request',
    objects: ({ refusing }) =>
      analysed({
        interval: '1s',
        count: 10,
        consecutiveErrorLimit: 1,
        provider: { web: { url: refusing, jsonPath: '{$.a}' } },
        successCondition: 'result > 0',
      }),
    of: 'Rollout/x',
    then: image('a:2'),
    code: 'RolloutAnalysisNotMeasured',
    contains: [/assessed Error due to consecutiveErrors/, /401/],
    excludes: [/assessed Failed/, /measured a failure/],
  },
  {
    id: 'O1',
    title: 'a new revision that measures badly',
    objects: ({ measured }) =>
      analysed({
        interval: '1s',
        count: 10,
        provider: { web: { url: measured, jsonPath: '{$.rate}' } },
        successCondition: 'result > 0.95',
      }),
    of: 'Rollout/x',
    then: image('a:2'),
    code: 'RolloutAnalysisFailed',
    contains: [
      /Metric m of AnalysisRun x-\S+ measured a failure/,
      /0\.7/,
      /result > 0\.95/,
      /failed \(1\) > failureLimit \(0\)/,
    ],
    excludes: [/could not be measured/],
    mend: ({ patch }) => patch('Rollout/x', image('a:1')),
  },
  {
    id: 'O3',
    title: 'a value that meets neither condition',
    objects: ({ measured }) =>
      analysed({
        provider: { web: { url: measured, jsonPath: '{$.rate}' } },
        successCondition: 'result > 0.95',
        failureCondition: 'result < 0.5',
      }),
    of: 'Rollout/x',
    then: image('a:2'),
    code: 'RolloutAnalysisInconclusive',
    contains: [/measured neither a success nor a failure/, /0\.7/, /result < 0\.5/, /rollouts promote x/],
    mend: ({ patch }) => patch('Rollout/x', { status: { pauseConditions: null } }, 'status'),
  },
  {
    id: 'O7',
    title: 'a deadline that passes before the pods are ready, which they are then',
    objects: [rollout({}, { progressDeadlineSeconds: 2, minReadySeconds: 1 })],
    of: 'Rollout/x',
    then: image('a/does-not-exist:2'),
    code: 'RolloutPodsNotAvailable',
    contains: [/"reason":"ProgressDeadlineExceeded"/, /cannot pull its image/],
    mend: async ({ patch, client, namespace }) => {
      await patch('Rollout/x', image('a:3'));
      await until(async () => {
        const { status } = await client.get({ apiVersion: argo, kind: 'Rollout', namespace, name: 'x' });
        return !JSON.stringify(status).includes('ProgressDeadlineExceeded');
      });
    },
  },
  {
    id: 'O8',
    title: 'a canary that never gets ready, past the deadline that aborts',
    objects: [rollout({}, { progressDeadlineSeconds: 2, minReadySeconds: 1, progressDeadlineAbort: true })],
    of: 'Rollout/x',
    then: image('a/does-not-exist:2'),
    contains: [/"abort":true/, /has timed out progressing/, /"phase":"Degraded"/],
    mend: ({ patch }) => patch('Rollout/x', image('a:1')),
  },
  {
    id: 'S10',
    title: 'a Rollout to an image that does not exist',
    objects: [rollout({})],
    of: 'Rollout/x',
    then: image('a/does-not-exist:2'),
    code: 'RolloutPodsNotAvailable',
    contains: [/cannot pull its image/, /Correct the image name or tag/],
    mend: ({ patch }) => patch('Rollout/x', image('a:1')),
  },
  {
    id: 'C6',
    title: 'a Rollout in a namespace whose quota is used up',
    objects: [noPods, rollout({})],
    of: 'Rollout/x',
    code: 'RolloutPodsNotAvailable',
    contains: [/exceeded quota: none/, /quota/],
    mend: ({ client, namespace }) =>
      client.delete({ apiVersion: 'v1', kind: 'ResourceQuota', namespace, name: 'none' }),
  },
  {
    id: 'WorkloadRefInvalid',
    title: 'a workload that is not there',
    objects: [
      {
        kind: 'Rollout',
        metadata: { name: 'x' },
        spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone' }, strategy: { canary: {} } },
      },
    ],
    of: 'Rollout/x',
    code: 'WorkloadRefInvalid',
    contains: [/deployments\.apps "gone" not found/],
  },
  {
    id: 'O9',
    title: 'an Experiment that selects all pods',
    objects: [
      {
        kind: 'Experiment',
        metadata: { name: 'x' },
        spec: {
          templates: [
            {
              name: 'a',
              selector: {},
              template: {
                metadata: { labels: { app: 'x' } },
                spec: { containers: [{ name: 'm', image: 'a:1' }] },
              },
            },
          ],
        },
      },
    ],
    of: 'Experiment/x',
    code: 'ExperimentInvalid',
    contains: [
      /selecting all pods at index 0/,
      /"field":"spec\.templates\[0\]\.selector"/,
      /matchLabels: .*"app\\*":\\*"x/,
    ],
    mend: async ({ client, namespace }) => {
      const ref = { apiVersion: argo, kind: 'Experiment', namespace, name: 'x' };
      const { spec } = await client.get(ref);
      const [template] = (spec as { templates: object[] }).templates;
      const templates = [{ ...template, selector: { matchLabels: { app: 'x' } } }];
      await client.patch(ref, 'merge', { spec: { templates } });
    },
  },
  {
    id: 'AnalysisRunNotMeasured',
    title: 'an AnalysisRun of nobody whose provider cannot be reached',
    objects: [
      {
        kind: 'AnalysisRun',
        metadata: { name: 'x' },
        spec: {
          metrics: [
            {
              name: 'm',
              consecutiveErrorLimit: 0,
              provider: { prometheus: { address: 'http://127.0.0.1:1', query: 'up' } },
              successCondition: 'result[0] > 0',
            },
          ],
        },
      },
    ],
    of: 'AnalysisRun/x',
    contains: [/"code":"AnalysisRunNotMeasured"/, /127\.0\.0\.1/, /Make the provider answer/],
  },
  {
    id: 'AnalysisRunFailed',
    title: 'an AnalysisRun of nobody that measures badly',
    objects: ({ measured }) => [
      {
        kind: 'AnalysisRun',
        metadata: { name: 'x' },
        spec: {
          metrics: [
            {
              name: 'm',
              provider: { web: { url: measured, jsonPath: '{$.rate}' } },
              successCondition: 'result > 0.95',
            },
          ],
        },
      },
    ],
    of: 'AnalysisRun/x',
    contains: [/"code":"AnalysisRunFailed"/, /result > 0\.95/, /0\.7/],
    excludes: [/could not be measured/],
  },
  {
    id: 'AnalysisRunNotMeasured',
    title: 'an AnalysisRun of nobody whose spec is not valid',
    objects: [
      {
        kind: 'AnalysisRun',
        metadata: { name: 'x' },
        spec: {
          metrics: [
            { name: 'm', count: 5, successCondition: 'true', provider: { web: { url: 'http://127.0.0.1:1' } } },
          ],
        },
      },
    ],
    of: 'AnalysisRun/x',
    contains: [
      /interval must be specified when count/,
      /"field":"spec\.metrics\[0\]"/,
      /Correct what the message names/,
    ],
    excludes: [/Make the provider answer/],
  },
];
