import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { applicationSetCatalogue } from '../catalog/application-sets.ts';
import { applicationCatalogue } from '../catalog/applications.ts';
import { workflowCatalogue } from '../catalog/workflows.ts';
import { problemsAnnotation } from '../outbox/entry.ts';
import { readSettings } from '../settings/read-settings.ts';
import { NotificationBench } from '../testing/notification-bench.ts';
import { Variables } from '../variables/variables.ts';
import { applicationSetNotifications } from './application-sets.ts';
import { applicationNotifications } from './applications.ts';
import { Engine } from './engine.ts';
import type { NotifiedKind } from './family.ts';
import { subscribed } from './subscribed.ts';
import { workflowNotifications } from './workflows.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'argocd';
const subscribe = 'notifications.argoproj.io/subscribe';

const sets = applicationSetNotifications({
  namespace,
  applicationSetNamespaces: () => [],
  selfService: false,
  project: (name) =>
    ({
      apiVersion,
      kind: 'AppProject',
      metadata: { name, annotations: { [`${subscribe}.on-appset-error.hook`]: name } },
    }) as KubeObject,
});
const applications = applicationNotifications({
  namespace,
  applicationNamespaces: () => [],
  selfService: false,
  project: () => undefined,
});
const workflows = workflowNotifications({ selfService: false });

const body = (template: string, text: string) => ({
  [`template.${template}`]: `webhook:\n  hook:\n    method: POST\n    body: '${text}'`,
});

async function begin(t: TestContext, family: NotifiedKind, data: Record<string, string>) {
  const bench = await NotificationBench.start(t);
  bench.configure({ 'service.webhook.hook': `url: ${bench.receiver.url}`, ...data });
  const { configMapName: _own, secretName: _of, ...change } = family;
  bench.begin(bench.cluster.client, change, { objects: bench.cluster.view(family.kind) });
  return {
    bench,
    put: (object: { metadata: object; spec?: object; status?: object }) =>
      bench.cluster.put({ apiVersion, kind: family.kind, ...object } as KubeObject),
    bodies: () => bench.receiver.received.map((request) => request.body),
    delivered: (count: number) =>
      bench.until(() => bench.receiver.received.length >= count && bench.records().length === 0, `delivery ${count}`),
  };
}

const failing = (message: string, status = 'True') => ({
  conditions: [{ type: 'ErrorOccurred', status, reason: 'ApplicationGenerationFromParamsError', message }],
});

test('an ApplicationSet that fails is told once each time, to its own subscribers and to those of its project', async (t) => {
  const { bench, put, bodies, delivered } = await begin(
    t,
    sets,
    body('appset-error', '{{.appset.metadata.name}} {{(index .appset.status.conditions 0).message}} {{.recipient}}'),
  );
  const metadata = {
    namespace,
    name: 'fleet',
    uid: 'u1',
    annotations: { [`${subscribe}.on-appset-error.hook`]: 'own' },
  };
  const spec = { template: { spec: { project: 'shop' } } };
  put({ metadata, spec });
  put({ metadata, spec, status: failing('no repository') });
  await delivered(2);
  const live = () =>
    bench.cluster.object({ apiVersion, kind: 'ApplicationSet', namespace, name: 'fleet' }) as KubeObject;
  put({ metadata: live().metadata, spec, status: failing('another') });
  put({ metadata: live().metadata, spec, status: failing('', 'False') });
  await bench.until(() => !live().metadata.annotations?.['notified.notifications.argoproj.io'], 'the end');
  put({ metadata: live().metadata, spec, status: failing('again') });
  await delivered(4);
  assert.deepEqual(bodies().sort(), [
    'fleet again own',
    'fleet again shop',
    'fleet no repository own',
    'fleet no repository shop',
  ]);
  assert.deepEqual(bench.errors, []);
});

const settings = (data: Record<string, string>) =>
  readSettings({
    namespace,
    isSelfService: false,
    configMapName: 'cm',
    secretName: 's',
    configMap: new Map(Object.entries(data)),
    secret: new Map(),
  });

test('kinds that share settings are asked about by the triggers that speak of them', () => {
  const engine = new Engine(
    settings({
      subscriptions: '- recipients: [hook:all]\n  triggers: [on-sync-failed, on-appset-error, always, unknown]',
      defaultTriggers: '[on-sync-failed]',
      'trigger.always': '- when: "true"\n  send: [plain]',
      'template.plain': 'message: approve of an app',
    }),
    sets.catalogue,
  );
  const of = (family: NotifiedKind, annotations: Record<string, string> = {}) => {
    const { destinations, foreign } = subscribed(engine, { ...family, parent: () => undefined } as NotifiedKind, {
      apiVersion,
      kind: family.kind,
      metadata: { name: 'x', annotations },
    });
    return { triggers: [...destinations.keys()], foreign };
  };
  assert.deepEqual(of(applications), { triggers: ['on-sync-failed', 'always', 'unknown'], foreign: [] });
  assert.deepEqual(of(sets), { triggers: ['on-appset-error'], foreign: [] });
  assert.deepEqual(of(sets, { [`${subscribe}.always.hook`]: 'own', [`${subscribe}.on-deployed.hook`]: '' }), {
    triggers: ['on-appset-error', 'always'],
    foreign: ['on-deployed'],
  });
  assert.deepEqual(of(sets, { [`${subscribe}.hook`]: 'by-default' }).foreign, ['on-sync-failed']);
  assert.deepEqual(of(sets, { [`${subscribe}.hook`]: 'all' }).foreign, [], 'another trigger tells the same');
  assert.match(engine.foreignTrigger('on-deployed', sets).remedies[0]?.text ?? '', /on-appset-created, .*on-appset-up/);
  assert.deepEqual(
    engine.problems().map(({ message }) => message),
    [
      'subscriptions: There is no trigger unknown, so that its subscribers get nothing',
      'subscriptions: There is no service hook',
    ],
  );
});

test('an ApplicationSet says which of its subscriptions ask about something else', async (t) => {
  const { bench, put } = await begin(t, sets, {});
  put({ metadata: { namespace, name: 'fleet', uid: 'u1', annotations: { [`${subscribe}.on-deployed.hook`]: '' } } });
  const problems = () =>
    bench.cluster.object({ apiVersion, kind: 'ApplicationSet', namespace, name: 'fleet' })?.metadata.annotations?.[
      problemsAnnotation
    ] ?? '';
  await bench.until(() => problems() !== '', 'the problem');
  assert.match(problems(), /NotificationTriggerForeign.*on-deployed does not ask about appset/);
});

test('a Workflow is told of in each of its phases, once', async (t) => {
  const { bench, put, bodies, delivered } = await begin(t, workflows, {
    ...body('workflow-running', '{{.workflow.metadata.name}} runs'),
    ...body('workflow-failed', '{{.workflow.metadata.name}} {{range .workflow.status.nodes}}{{.displayName}}{{end}}'),
  });
  const annotations = { [`${subscribe}.on-workflow-running.hook`]: '', [`${subscribe}.on-workflow-failed.hook`]: '' };
  const live = () => bench.cluster.object({ apiVersion, kind: 'Workflow', namespace, name: 'build' });
  put({ metadata: { namespace, name: 'build', uid: 'u1', annotations } });
  for (const progress of ['0/2', '1/2'])
    put({ metadata: live()?.metadata ?? {}, status: { phase: 'Running', progress } });
  await delivered(1);
  const nodes = { a: { id: 'a', displayName: 'compile', type: 'Pod', phase: 'Failed' } };
  put({ metadata: live()?.metadata ?? {}, status: { phase: 'Failed', nodes } });
  await delivered(2);
  assert.deepEqual(bodies(), ['build runs', 'build compile']);
  assert.deepEqual(bench.errors, []);
});

const evaluated = async (family: NotifiedKind, object: object): Promise<string[]> => {
  const engine = new Engine(settings({}), family.catalogue);
  const variables = new Variables({
    variable: family.variable,
    object: object as Record<string, unknown>,
    settings: engine.settings,
    now: () => 0,
  });
  const own = [...family.catalogue.triggers.keys()].filter((name) => engine.subjectOf(name, family) === 'own');
  const found: string[] = [];
  for (const name of own) {
    const [result] = await variables.read((values) => engine.trigger(name)?.evaluate(values, () => 0) ?? []);
    assert.equal(result?.problem, undefined, `${name}: ${result?.problem?.message}`);
    if (result?.triggered) found.push(name);
  }
  return found;
};

const condition = (type: string, status: string, reason = '') => ({ type, status, reason, message: 'a "quoted" one' });

test('the triggers of the catalogues hold when they should', async () => {
  const set = (...conditions: object[]) => ({
    kind: 'ApplicationSet',
    metadata: { name: 'fleet', namespace },
    status: { conditions },
  });
  assert.deepEqual(await evaluated(sets, { metadata: { name: 'fleet' } }), ['on-appset-created']);
  assert.deepEqual(await evaluated(sets, { metadata: { name: 'fleet', deletionTimestamp: 'x' } }), [
    'on-appset-created',
    'on-appset-deleted',
  ]);
  for (const [given, wanted] of [
    [condition('ErrorOccurred', 'True'), 'on-appset-error'],
    [condition('ResourcesUpToDate', 'False', 'DeletionsHeld'), 'on-appset-deletions-held'],
    [condition('ResourcesUpToDate', 'True'), 'on-appset-up-to-date'],
    [condition('RolloutProgressing', 'True'), 'on-appset-rollout-progressing'],
    [condition('RolloutProgressing', 'False', 'ApplicationSetRolloutComplete'), 'on-appset-rollout-completed'],
  ] as const)
    assert.deepEqual(await evaluated(sets, set(given)), ['on-appset-created', wanted]);
  const workflow = (phase: string, more: object = {}) => ({
    metadata: { name: 'build' },
    spec: {},
    status: { phase, ...more },
  });
  for (const phase of ['Error', 'Failed', 'Running', 'Succeeded'])
    assert.deepEqual(await evaluated(workflows, workflow(phase)), [`on-workflow-${phase.toLowerCase()}`]);
  const waiting = workflow('Running', { nodes: { a: { type: 'Suspend', phase: 'Running' } } });
  assert.deepEqual(await evaluated(workflows, waiting), ['on-workflow-running', 'on-workflow-suspended']);
  assert.deepEqual(await evaluated(workflows, { ...workflow('Running'), spec: { suspend: true } }), [
    'on-workflow-running',
    'on-workflow-suspended',
  ]);
});

test('every template of the catalogues makes a message, and JSON where JSON is wanted', async () => {
  const engine = (family: NotifiedKind) => new Engine(settings({ context: 'argocdUrl: https://cd' }), family.catalogue);
  const conditions = [condition('ErrorOccurred', 'True'), condition('RolloutProgressing', 'True')];
  for (const [family, catalogue, objects] of [
    [
      sets,
      applicationSetCatalogue,
      [
        { metadata: { name: 'thing', namespace } },
        { metadata: { name: 'thing', namespace }, status: { conditions, resourcesCount: 3 } },
      ],
    ],
    [
      workflows,
      workflowCatalogue,
      [
        { metadata: { name: 'thing', namespace }, status: { phase: 'Failed' } },
        {
          metadata: { name: 'thing', namespace },
          status: { phase: 'Failed', nodes: { a: { displayName: 'compile', phase: 'Failed', message: 'exit 1' } } },
        },
      ],
    ],
  ] as const)
    for (const object of objects)
      for (const name of catalogue.templates.keys()) {
        const own = engine(family);
        const variables = new Variables({ variable: family.variable, object, settings: own.settings, now: () => 0 });
        const notification = await own.render([name], variables);
        assert.match(notification.message, /^\w+ thing /);
        assert.ok(notification.sections.email?.subject);
        assert.ok(Array.isArray(JSON.parse(String(notification.sections.slack?.attachments))));
      }
  const names = [...applicationCatalogue.triggers.keys(), ...applicationSetCatalogue.triggers.keys()];
  assert.deepEqual([...sets.catalogue.triggers.keys()].sort(), names.sort(), 'no name is used twice');
});
