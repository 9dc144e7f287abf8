import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@tiphys/kubernetes';
import { allRights, argo, type Draft, type FamilyFault } from './families.ts';

/** A push as GitHub sends it, signed with a secret. */
async function signed(port: number, secret: string): Promise<void> {
  const body = '{"ref":"refs/heads/main"}';
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-hub-signature-256': signature };
  await (await fetch(`http://127.0.0.1:${port}/push`, { method: 'POST', headers, body })).text();
}

const embeddedBus: Draft = { kind: 'EventBus', metadata: { name: 'default' }, spec: { embedded: {} } };
const ticking: Draft = {
  kind: 'EventSource',
  metadata: { name: 'clock' },
  spec: { calendar: { tick: { interval: '1s' } } },
};
const source = (spec: object): Draft => ({ kind: 'EventSource', metadata: { name: 'x' }, spec });
const sensor = (trigger: object, dependency: object = {}, spec: object = {}): Draft => ({
  kind: 'Sensor',
  metadata: { name: 'x' },
  spec: {
    dependencies: [{ name: 'ticks', eventSourceName: 'clock', eventName: 'tick', ...dependency }],
    triggers: [{ template: { name: 'act', ...trigger } }],
    ...spec,
  },
});
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
const workflow = (spec: object): Draft => ({
  kind: 'Workflow',
  metadata: { name: 'x' },
  spec: {
    entrypoint: 'main',
    templates: [{ name: 'main', container: { image: 'a', command: ['true'] } }],
    ...spec,
  },
});
const asleep = { name: 'main', container: { image: 'a', command: ['sleep', '600'] } };
/** Two steps that could run beside each other. */
const twoAtOnce = (spec: object, template: object = {}): Draft =>
  workflow({
    entrypoint: 'both',
    templates: [
      {
        name: 'both',
        steps: [
          [
            { name: 'one', template: 'main' },
            { name: 'two', template: 'main' },
          ],
        ],
        ...template,
      },
      asleep,
    ],
    ...spec,
  });
const noPods: Draft = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'none' },
  spec: { hard: { pods: '0' } },
};

/** Ends the pods of steps as their executor does that cannot store what the step made. */
async function endPods(client: Client, namespace: string, message: string): Promise<void> {
  const { items } = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace });
  const ended = (name: string, exitCode: number, told = '') => ({
    ...{ name, image: 'a', imageID: '', ready: false, restartCount: 0 },
    state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message: told } },
  });
  const containerStatuses = [ended('main', 0), ended('wait', 64, message)];
  for (const { metadata } of items)
    await client.patch(
      { apiVersion: 'v1', kind: 'Pod', namespace, name: metadata.name ?? '' },
      'merge',
      { status: { phase: 'Failed', containerStatuses } },
      { subresource: 'status' },
    );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

const events: readonly FamilyFault[] = [
  {
    id: 'E1',
    title: 'a bus at whose address nothing listens',
    objects: [{ ...embeddedBus, spec: { jetstreamExotic: { url: 'nats://127.0.0.1:1' } } }, ticking],
    of: 'EventSource/clock',
    code: 'EventBusUnreachable',
    contains: [/EventBus default cannot be reached at nats:\/\/127\.0\.0\.1:1/, /connection refused/i],
    excludes: [/did not expect/],
  },
  {
    id: 'EventBusMissing',
    title: 'a bus that is not there',
    objects: [embeddedBus, { ...ticking, spec: { ...(ticking.spec as object), eventBusName: 'gone' } }],
    of: 'EventSource/clock',
    code: 'EventBusMissing',
    contains: [/There is no EventBus gone in namespace/, /Set spec\.eventBusName to default/, /EventBus not found\./],
    mend: ({ patch }) => patch('EventSource/clock', { spec: { eventBusName: 'default' } }),
  },
  {
    id: 'EventSourceNotListening',
    title: 'a Redis at whose address nothing listens',
    objects: [embeddedBus, source({ redis: { a: { hostAddress: '127.0.0.1:1', channels: ['c'] } } })],
    of: 'EventSource/x',
    code: 'EventSourceNotListening',
    contains: [/Event a is not heard from .*127\.0\.0\.1:1.*ECONNREFUSED/],
    excludes: [/Connection is closed/],
  },
  {
    id: 'EventSourceNotListening',
    title: 'a folder that is not there',
    objects: [
      embeddedBus,
      source({ file: { a: { eventType: 'CREATE', watchPathConfig: { directory: '/none/here', path: 'x' } } } }),
    ],
    of: 'EventSource/x',
    code: 'EventSourceNotListening',
    contains: [/There is no folder \/none\/here/, /Create the folder where the EventSource runs/],
    excludes: [/ENOENT/],
  },
  {
    id: 'EventSourceNotListening',
    title: 'a source of events at whose address nothing listens',
    objects: [embeddedBus, source({ nats: { a: { url: 'nats://127.0.0.1:1', subject: 's' } } })],
    of: 'EventSource/x',
    code: 'EventSourceNotListening',
    contains: [/Event a is not heard from nats:\/\/127\.0\.0\.1:1/, /refused/],
  },
  {
    id: 'EventsKeyMissing',
    title: 'a Secret of an event source that is not there',
    objects: [
      embeddedBus,
      source({
        webhook: {
          a: { port: '18763', endpoint: '/a', method: 'POST', authSecret: { name: 'gone', key: 'token' } },
        },
      }),
    ],
    of: 'EventSource/x',
    code: 'EventsKeyMissing',
    contains: [/Secret .*\/gone has no key .*token/, /spec\.webhook\.a\.authSecret/],
    mend: ({ create, patch }) =>
      create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'gone' }, stringData: { token: 'MARKER' } }).then(
        // another look comes by itself within half a minute; a change of the source brings it at once
        () => patch('EventSource/x', { metadata: { annotations: { looked: 'again' } } }),
      ),
  },
  {
    id: 'EventSourceInvalid',
    title: 'a schedule that is none',
    objects: [embeddedBus, source({ calendar: { a: { schedule: 'every day' } } })],
    of: 'EventSource/x',
    contains: [/failed to parse schedule every day/],
  },
  {
    id: 'DependencySourceMissing',
    title: 'a dependency on an event source that is not there',
    objects: [embeddedBus, sensor({ log: {} })],
    of: 'Sensor/x',
    code: 'DependencySourceMissing',
    contains: [/waits for EventSource clock, which does not exist/, /create the EventSource/],
    mend: async ({ create, patch }) => {
      await create(ticking);
      await patch('Sensor/x', { metadata: { annotations: { looked: 'again' } } });
    },
  },
  {
    id: 'TriggerConditionInvalid',
    title: 'a condition that names no dependency',
    objects: [embeddedBus, ticking, sensor({ log: {}, conditions: 'tocks' })],
    of: 'Sensor/x',
    code: 'TriggerConditionInvalid',
    contains: [/no dependency is called .*tocks/],
    mend: ({ patch }) => patch('Sensor/x', { spec: { triggers: [{ template: { name: 'act', log: {} } }] } }),
  },
  {
    id: 'E4',
    title: 'a transformation that does not give an object',
    objects: [embeddedBus, ticking, sensor({ log: {} }, { transform: { jq: '"text"' } })],
    of: 'Sensor/x',
    code: 'EventTransformFailed',
    contains: [/transform of dependency ticks fails/, /JSON object/],
    mend: ({ patch }) =>
      patch('Sensor/x', {
        spec: { dependencies: [{ name: 'ticks', eventSourceName: 'clock', eventName: 'tick' }] },
      }),
  },
  {
    id: 'E4',
    title: 'a filter that cannot be evaluated',
    objects: [
      embeddedBus,
      ticking,
      sensor({ log: {} }, { filters: { exprs: [{ expr: 'a ==', fields: [{ name: 'a', path: 'eventTime' }] }] } }),
    ],
    of: 'Sensor/x',
    code: 'EventFilterFailed',
    contains: [/filter of dependency ticks fails/],
    mend: ({ patch }) =>
      patch('Sensor/x', {
        spec: { dependencies: [{ name: 'ticks', eventSourceName: 'clock', eventName: 'tick' }] },
      }),
  },
  {
    id: 'E3',
    title: 'a sender that signs with another secret',
    objects: ({ port }) => [
      embeddedBus,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'hook' },
        stringData: { token: 'of-the-source-MARKER' },
      },
      source({
        github: {
          push: {
            owner: 'shop',
            repository: 'web',
            events: ['push'],
            webhook: { endpoint: '/push', port: String(port), method: 'POST' },
            webhookSecret: { name: 'hook', key: 'token' },
          },
        },
      }),
    ],
    of: 'EventSource/x',
    act: (_stage, { port }) => signed(port, 'of the sender'),
    code: 'EventSenderRefused',
    contains: [
      /Requests for event push are refused: X-Hub-Signature-256 was made with another secret/,
      /key token of Secret hook/,
      /127\.0\.0\.1/,
    ],
    mend: (_stage, { port }) => signed(port, 'of-the-source-MARKER'),
  },
  {
    id: 'E6',
    title: 'an account of a Sensor that may not create what its trigger wants',
    objects: [
      embeddedBus,
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'poor' } },
      ticking,
      sensor(
        {
          k8s: {
            operation: 'create',
            source: { resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } } },
          },
        },
        {},
        { template: { serviceAccountName: 'poor' } },
      ),
    ],
    of: 'Sensor/x',
    code: 'TriggerNotPermitted',
    contains: [/Trigger act fails/, /serviceaccount:\S+:poor/, /cannot create .*configmaps/, /verbs: \["create"\]/],
    mend: ({ create, namespace }) => create(allRights('poor', namespace)),
  },
  {
    id: 'E7',
    title: 'a trigger whose host does not answer',
    objects: [embeddedBus, ticking, sensor({ http: { url: 'http://127.0.0.1:1/hook', method: 'POST' } })],
    of: 'Sensor/x',
    code: 'TriggerFailed',
    contains: [/Trigger act fails/, /127\.0\.0\.1/],
    mend: ({ patch }) => patch('Sensor/x', { spec: { triggers: [{ template: { name: 'act', log: {} } }] } }),
  },
  {
    id: 'E7',
    title: 'a trigger whose host refuses what it sends',
    objects: ({ refusing }) => [
      embeddedBus,
      ticking,
      sensor(
        {},
        {},
        {
          triggers: [
            {
              template: { name: 'act', http: { url: refusing, method: 'POST' } },
              policy: { status: { allow: [200] } },
            },
          ],
        },
      ),
    ],
    of: 'Sensor/x',
    code: 'TriggerFailed',
    contains: [/http response status 401 is not allowed/],
  },
  {
    id: 'E7',
    title: 'a trigger that makes objects of a kind that the cluster lacks',
    objects: [
      embeddedBus,
      ticking,
      sensor({
        k8s: {
          operation: 'create',
          source: { resource: { apiVersion: 'shop.example/v1', kind: 'Basket', metadata: { generateName: 'b-' } } },
        },
      }),
    ],
    of: 'Sensor/x',
    code: 'TriggerFailed',
    contains: [/Basket/, /CustomResourceDefinition/],
  },
];

const rollouts: readonly FamilyFault[] = [
  {
    id: 'O9',
    title: 'one Service for stable and canary',
    objects: [service('s'), rollout({ canaryService: 's', stableService: 's' })],
    of: 'Rollout/x',
    contains: [/same service for the stable and canary services/],
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
    contains: [/canaryService: Invalid value: "gone": service "gone" not found/],
    mend: ({ create }) => create(service('gone')),
  },
  {
    id: 'O5',
    title: 'a VirtualService that is not there',
    objects: routed({ istio: { virtualService: { name: 'gone' } } }),
    of: 'Rollout/x',
    contains: [/virtualservices\.networking\.istio\.io "gone" not found/],
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
    contains: [/AnalysisTemplate 'gone' not found/],
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
    contains: [/deployments\.apps "gone" not found/],
  },
];

const workflows: readonly FamilyFault[] = [
  {
    id: 'WorkflowInvalid',
    title: 'a template that is not there',
    objects: [workflow({ entrypoint: 'gone' })],
    of: 'Workflow/x',
    code: 'WorkflowInvalid',
    contains: [/spec\.entrypoint: there is no template gone/],
  },
  {
    id: 'WorkflowInvalid',
    title: 'an expression that cannot be read',
    objects: [
      workflow({ templates: [{ name: 'main', container: { image: 'a', command: ['true'], args: ['{{=f(}}'] } }] }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowInvalid',
    contains: [/the expression f\( cannot be read/, /container\.args\[0\]/],
  },
  {
    id: 'WorkflowInvalid',
    title: 'a WorkflowTemplate that is not there',
    objects: [{ kind: 'Workflow', metadata: { name: 'x' }, spec: { workflowTemplateRef: { name: 'gone' } } }],
    of: 'Workflow/x',
    code: 'WorkflowInvalid',
    contains: [/workflowtemplates\.argoproj\.io "gone" not found/],
  },
  {
    id: 'W4',
    title: 'a quota without room for a pod',
    objects: [noPods, workflow({})],
    of: 'Workflow/x',
    code: 'WorkflowQuotaExceeded',
    contains: [/ResourceQuota .*none has no room: wanted pods=1, used pods=0, limit pods=0/],
    excludes: [/"phase":"Failed"/],
    mend: ({ client, namespace }) =>
      client.delete({ apiVersion: 'v1', kind: 'ResourceQuota', namespace, name: 'none' }),
  },
  {
    id: 'W5',
    title: 'a webhook of pods that is down',
    objects: [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'pods-of-workflows' },
        webhooks: [
          {
            name: 'pods.workflows.example.com',
            clientConfig: { url: 'https://127.0.0.1:1/validate' },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
            objectSelector: { matchLabels: { guarded: 'yes' } },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 2,
          },
        ],
      },
      workflow({ podMetadata: { labels: { guarded: 'yes' } } }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowPodRefused',
    contains: [/pods\.workflows\.example\.com/, /could not be called/],
  },
  {
    id: 'W9',
    title: 'a service account that is not there',
    objects: [workflow({ serviceAccountName: 'gone' })],
    of: 'Workflow/x',
    code: 'WorkflowNotPermitted',
    contains: [/service ?account .*gone.* not found/i],
  },
  {
    id: 'W6',
    title: 'retries that are used up',
    objects: [
      workflow({
        templates: [
          {
            name: 'main',
            retryStrategy: { limit: '1' },
            container: { image: 'a', command: ['sh', '-c', 'exit 3'] },
          },
        ],
      }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowRetriesUsedUp',
    contains: [/No more retries left/, /exit code 3/],
  },
  {
    id: 'W7',
    title: 'a semaphore whose ConfigMap is not there',
    objects: [workflow({ synchronization: { semaphores: [{ configMapKeyRef: { name: 'gone', key: 'most' } }] } })],
    of: 'Workflow/x',
    code: 'WorkflowWaitsForLock',
    contains: [/failed to get limit for semaphore .*gone/],
  },
  {
    id: 'W7',
    title: 'a mutex that another workflow holds',
    objects: [
      {
        ...workflow({ templates: [asleep], synchronization: { mutexes: [{ name: 'one' }] } }),
        metadata: { name: 'first' },
      },
      workflow({ templates: [asleep], synchronization: { mutexes: [{ name: 'one' }] } }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowWaitsForLock',
    contains: [/waits: Waiting for \S+\/Mutex\/one lock.*, held by \S+\/first/],
    mend: ({ patch }) => patch('Workflow/first', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W11',
    title: 'a deadline of the workflow',
    objects: [workflow({ activeDeadlineSeconds: 1, templates: [asleep] })],
    of: 'Workflow/x',
    code: 'WorkflowDeadlineExceeded',
    contains: [/was ended by the workflow's activeDeadlineSeconds of 1 s/, /spec\.activeDeadlineSeconds/],
  },
  {
    id: 'W11',
    title: 'a deadline of a template',
    objects: [workflow({ templates: [{ ...asleep, activeDeadlineSeconds: 1 }] })],
    of: 'Workflow/x',
    code: 'WorkflowDeadlineExceeded',
    contains: [/was ended by its template's activeDeadlineSeconds of 1 s/, /spec\.templates\[name=main\]/],
  },
  {
    id: 'W11',
    title: 'a parallelism of the workflow that holds a step',
    objects: [twoAtOnce({ parallelism: 1 })],
    of: 'Workflow/x',
    code: 'WorkflowParallelismReached',
    contains: [/Steps wait: parallelism 1 of the workflow, 1 pod runs/],
    mend: ({ patch }) => patch('Workflow/x', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W11',
    title: 'a parallelism of a template that holds a step',
    objects: [twoAtOnce({}, { parallelism: 1 })],
    of: 'Workflow/x',
    code: 'WorkflowParallelismReached',
    contains: [/Steps wait: parallelism 1 of template both, 1 pod runs/],
    mend: ({ patch }) => patch('Workflow/x', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W11',
    title: 'a namespace in which no other workflow may run',
    objects: [{ ...workflow({ templates: [asleep] }), metadata: { name: 'first' } }, workflow({ templates: [asleep] })],
    limit: { 'workflows.argoproj.io/parallelism-limit': '1' },
    of: 'Workflow/x',
    code: 'WorkflowPostponed',
    contains: [/has not begun: 1 run in namespace [\w-]+, whose limit is 1/],
    mend: ({ patch }) => patch('Workflow/first', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W1',
    title: 'a pod that somebody deletes',
    objects: [workflow({ templates: [asleep] })],
    of: 'Workflow/x',
    act: async ({ client, namespace }) => {
      const { items } = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace });
      for (const { metadata } of items)
        await client.delete(
          { apiVersion: 'v1', kind: 'Pod', namespace, name: metadata.name ?? '' },
          { gracePeriodSeconds: 0 },
        );
    },
    code: 'WorkflowPodLost',
    contains: [/went before its result was seen: pod deleted/, /retryPolicy: OnError/],
  },
  {
    id: 'W2',
    title: 'a store that refuses what a step made',
    objects: [workflow({ templates: [asleep] })],
    of: 'Workflow/x',
    // what the pod of a step says when its executor cannot store: the pods here run nothing that could
    act: ({ client, namespace }) =>
      endPods(client, namespace, 'failed to save outputs: shop/out.tgz: Access Denied (403)'),
    code: 'WorkflowArtifactFailed',
    contains: [
      /ended, and what it made could not be stored: .*shop\/out\.tgz.*403/,
      /Correct the location or the Secret/,
    ],
    excludes: [/WorkflowStepFailed/],
  },
  {
    id: 'CronInvalid',
    title: 'a time zone that there is not',
    objects: [
      {
        kind: 'CronWorkflow',
        metadata: { name: 'x' },
        spec: { schedules: ['* * * * *'], timezone: 'Mars/Base', workflowSpec: workflow({}).spec },
      },
    ],
    of: 'CronWorkflow/x',
    contains: [/SpecError/, /no time zone .*Mars\/Base/, /Europe\/Berlin/],
    mend: ({ patch }) => patch('CronWorkflow/x', { spec: { timezone: 'Europe/Berlin' } }),
  },
  {
    id: 'CronInvalid',
    title: 'a day that no month has',
    objects: [
      {
        kind: 'CronWorkflow',
        metadata: { name: 'x' },
        spec: { schedules: ['0 0 31 2 *'], workflowSpec: workflow({}).spec },
      },
    ],
    of: 'CronWorkflow/x',
    contains: [/SpecError/, /cron schedule 0 0 31 2 \* never comes/],
    mend: ({ patch }) => patch('CronWorkflow/x', { spec: { schedules: ['0 0 28 2 *'] } }),
  },
];

export const familyFaults: readonly FamilyFault[] = [...events, ...rollouts, ...workflows];

/** An ApplicationSet of one generator, in the namespace of the control plane. */
const set = (generator: object, name: string, template: object = {}, spec: object = {}): Draft => ({
  kind: 'ApplicationSet',
  metadata: { name },
  spec: {
    goTemplate: true,
    goTemplateOptions: ['missingkey=error'],
    generators: [generator],
    template: {
      metadata: { name: `${name}-{{.n}}` },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example/shop.git', path: '.' },
        destination: { server: 'https://kubernetes.default.svc' },
      },
      ...template,
    },
    ...spec,
  },
});
const one = { list: { elements: [{ n: 'a' }] } };
const generator = (name: string, spec: object) => (stage: Parameters<NonNullable<FamilyFault['mend']>>[0]) =>
  stage.patch(`ApplicationSet/${name}`, { spec });

export const setFaults: readonly FamilyFault[] = [
  {
    id: 'R8',
    title: 'a generator whose repository cannot be reached',
    objects: [
      set({ git: { repoURL: 'http://127.0.0.1:1/a.git', revision: 'HEAD', directories: [{ path: '*' }] } }, 'git'),
    ],
    of: 'ApplicationSet/git',
    code: 'RepositoryUnreachable',
    contains: [/Nothing listens at 127\.0\.0\.1 port 1/],
    mend: generator('git', { generators: [one] }),
  },
  {
    id: 'ApplicationTemplateInvalid',
    title: 'a template that reads a field that no element has',
    objects: [set(one, 'field', { metadata: { name: 'field-{{.gone}}' } })],
    of: 'ApplicationSet/field',
    code: 'ApplicationTemplateInvalid',
    contains: [/gone/],
    mend: generator('field', { template: { metadata: { name: 'field-{{.n}}' } } }),
  },
  {
    id: 'GeneratedApplicationInvalid',
    title: 'a project that does not exist',
    objects: [set(one, 'project')],
    of: 'ApplicationSet/project',
    then: { spec: { template: { spec: { project: 'gone' } } } },
    code: 'GeneratedApplicationInvalid',
    contains: [/project gone which does not exist/, /Create the project/],
    mend: generator('project', { template: { spec: { project: 'default' } } }),
  },
  {
    id: 'GeneratedApplicationInvalid',
    title: 'two elements of one name',
    objects: [set({ list: { elements: [{ n: 'a' }, { n: 'a' }] } }, 'twice')],
    of: 'ApplicationSet/twice',
    contains: [/"ErrorOccurred","status":"True"/, /twice-a/],
    mend: generator('twice', { generators: [one] }),
  },
  {
    id: 'GeneratedApplicationInvalid',
    title: 'a name that asks for a parameter which no element has',
    objects: [set(one, 'unset', { metadata: { name: 'unset-{{n}}' } }, { goTemplate: false, goTemplateOptions: [] })],
    of: 'ApplicationSet/unset',
    then: { spec: { template: { metadata: { name: 'unset-{{cluster}}' } } } },
    code: 'GeneratedApplicationInvalid',
    contains: [/asks for cluster, which its element does not have/, /spec\.generators\[0\]\.list/],
    excludes: [/is no name of an object/],
    mend: generator('unset', { template: { metadata: { name: 'unset-{{n}}' } } }),
  },
  {
    id: 'GeneratorEmpty',
    title: 'a list without elements',
    objects: [set({ list: { elements: [] } }, 'empty')],
    of: 'ApplicationSet/empty',
    code: 'GeneratorEmpty',
    contains: [/The generator list gives no elements/, /spec\.generators\[0\]\.list/],
    mend: generator('empty', { generators: [one] }),
  },
  {
    id: 'MergeKeyAbsent',
    title: 'a key of a merge that no element has',
    objects: [
      set({ merge: { mergeKeys: ['gone'], generators: [one, { list: { elements: [{ n: 'a', m: 'x' }] } }] } }, 'merge'),
    ],
    of: 'ApplicationSet/merge',
    code: 'MergeKeyAbsent',
    contains: [/has gone, which mergeKeys names/, /an element has/],
    mend: generator('merge', {
      generators: [{ merge: { mergeKeys: ['n'], generators: [one, { list: { elements: [{ n: 'a', m: 'x' }] } }] } }],
    }),
  },
  {
    id: 'StrategyIgnored',
    title: 'a strategy whose type there is not',
    objects: [set(one, 'strategy', {}, { strategy: { type: 'RolingSync' } })],
    of: 'ApplicationSet/strategy',
    code: 'StrategyIgnored',
    contains: [/there is no type \\?"RolingSync/, /Write RollingSync as spec\.strategy\.type/],
    mend: generator('strategy', { strategy: { type: 'AllAtOnce' } }),
  },
  {
    id: 'StrategyIgnored',
    title: 'steps of a strategy while progressive syncs are off',
    objects: [
      set(one, 'steps', {}, { strategy: { type: 'RollingSync', rollingSync: { steps: [{ matchExpressions: [] }] } } }),
    ],
    of: 'ApplicationSet/steps',
    code: 'StrategyIgnored',
    contains: [/progressive syncs are switched off/, /applicationsetcontroller\.enable\.progressive\.syncs/],
    mend: generator('steps', { strategy: null }),
  },
  {
    id: 'IgnoreRuleInvalid',
    title: 'an expression of ignored differences of a set that is cut off',
    objects: [set(one, 'ignore', {}, { ignoreApplicationDifferences: [{ jqPathExpressions: ['.spec.source['] }] })],
    of: 'ApplicationSet/ignore',
    code: 'IgnoreRuleInvalid',
    contains: [/ignoreApplicationDifferences\[0\]/],
    mend: generator('ignore', { ignoreApplicationDifferences: [] }),
  },
  {
    id: 'ScmRefused',
    title: 'a host that does not accept the token of a generator',
    objects: ({ refusing }) => [set({ scmProvider: { github: { organization: 'shop', api: refusing } } }, 'scm')],
    of: 'ApplicationSet/scm',
    code: 'ScmRefused',
    contains: [/does not accept the credentials/, /tokenRef/],
    mend: generator('scm', { generators: [one] }),
  },
  {
    id: 'GeneratorInvalid',
    title: 'a Secret of a plugin that is not there',
    objects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'plug' },
        data: { baseUrl: 'http://127.0.0.1:1', token: '$plug:token' },
      },
      set({ plugin: { configMapRef: { name: 'plug' } } }, 'plugin'),
    ],
    of: 'ApplicationSet/plugin',
    code: 'GeneratorInvalid',
    contains: [/secrets .*plug.* not found/, /Create the Secret/],
    mend: generator('plugin', { generators: [one] }),
  },
  {
    id: 'GeneratorInvalid',
    title: 'a selector of clusters that cannot be read',
    objects: [set({ clusters: { selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } } }, 'clusters')],
    of: 'ApplicationSet/clusters',
    code: 'GeneratorInvalid',
    contains: [/Near/, /Use In or NotIn/],
    mend: generator('clusters', { generators: [one] }),
  },
];

export { argo };
