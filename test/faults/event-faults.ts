import { createHmac } from 'node:crypto';
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

/** A trigger that submits Workflows of one command. */
const submitting = (command: readonly string[]) => ({
  argoWorkflow: {
    operation: 'submit',
    source: {
      resource: {
        ...{ apiVersion: argo, kind: 'Workflow', metadata: { generateName: 'made-' } },
        spec: { entrypoint: 'main', templates: [{ name: 'main', container: { image: 'a', command } }] },
      },
    },
  },
});
const makingJobs = (command: readonly string[]) => ({
  k8s: {
    operation: 'create',
    source: {
      resource: {
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'made-' } },
        spec: {
          backoffLimit: 0,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'a', command }] } },
        },
      },
    },
  },
});

export const eventFaults: readonly FamilyFault[] = [
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
  {
    id: 'TriggeredObjectsFail',
    title: 'a trigger whose Workflows all fail',
    objects: [embeddedBus, ticking, sensor(submitting(['sh', '-c', 'exit 3']))],
    of: 'Sensor/x',
    code: 'TriggeredObjectsFail',
    contains: [/of trigger act failed/, /exit code 3/, /WorkflowStepFailed/],
    mend: ({ patch }) =>
      patch('Sensor/x', { spec: { triggers: [{ template: { name: 'act', ...submitting(['true']) } }] } }),
  },
  {
    id: 'TriggeredObjectsFail',
    title: 'a trigger whose Jobs all fail',
    objects: [embeddedBus, ticking, sensor(makingJobs(['sh', '-c', 'exit 3']))],
    of: 'Sensor/x',
    code: 'TriggeredObjectsFail',
    contains: [/Jobs? of trigger act failed/, /backoff limit/],
    mend: ({ patch }) =>
      patch('Sensor/x', { spec: { triggers: [{ template: { name: 'act', ...makingJobs(['true']) } }] } }),
  },
];
