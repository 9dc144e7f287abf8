import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { Registry } from 'prom-client';
import { rolloutCatalogue } from '../catalog/rollouts.ts';
import { NotificationBench } from '../testing/notification-bench.ts';
import { eventOfTrigger, triggerOfReason } from './happenings.ts';
import type { NotificationsControllerOptions } from './notifications-controller.ts';
import { rolloutNotifications } from './rollouts.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'argocd';

class Stage {
  readonly bench: NotificationBench;
  #count = 0;

  constructor(bench: NotificationBench) {
    this.bench = bench;
  }

  static async start(t: TestContext, data: Record<string, string>): Promise<Stage> {
    const stage = new Stage(await NotificationBench.start(t));
    const hook = { 'service.webhook.hook': `url: ${stage.bench.receiver.url}` };
    stage.bench.configure({ ...hook, ...data });
    return stage;
  }

  begin(views: Partial<NotificationsControllerOptions> = {}) {
    const { configMapName: _own, secretName: _of, ...family } = rolloutNotifications({ selfService: false });
    return this.bench.begin(this.bench.cluster.client, family, {
      objects: this.bench.cluster.view('Rollout'),
      events: this.bench.cluster.view('Event'),
      ...views,
    });
  }

  rollout(status: Record<string, unknown> = {}, subscriptions: readonly string[] = ['on-rollout-paused']): KubeObject {
    const annotations = Object.fromEntries(
      subscriptions.map((trigger) => [`notifications.argoproj.io/subscribe.${trigger}.hook`, '']),
    );
    return this.bench.cluster.put({
      apiVersion,
      kind: 'Rollout',
      metadata: {
        namespace,
        name: 'web',
        uid: 'u1',
        annotations: { 'rollout.argoproj.io/revision': '2', ...annotations },
      },
      spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } },
      status: { currentPodHash: 'abc', ...status },
    });
  }

  happens(reason: string, name = `e${++this.#count}`, count = 1, more: Record<string, string> = {}): void {
    const involvedObject = { apiVersion, kind: 'Rollout', namespace, name: 'web', uid: 'u1' };
    this.bench.cluster.put({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name, uid: name },
      reason,
      count,
      involvedObject,
      ...more,
    } as KubeObject);
  }

  bodies = (): string[] => this.bench.receiver.received.map(({ body }) => body);

  delivered = (count: number): Promise<void> =>
    this.bench.until(() => this.bodies().length >= count && this.bench.records().length === 0, `delivery ${count}`);
}

const told = (template: string, text: string) => ({
  [`template.${template}`]: `webhook:\n  hook:\n    method: POST\n    body: '${text}'`,
});

test('an Event asks the trigger of its name, whose conditions need no when, once for each occurrence', async (t) => {
  const stage = await Stage.start(t, {
    'trigger.on-rollout-paused': '- send: [paused]',
    ...told('paused', '{{.rollout.metadata.name}} {{.rollout.status.phase}}'),
  });
  stage.begin();
  stage.rollout({ phase: 'Paused' });
  stage.happens('RolloutUpdated');
  stage.happens('RolloutPaused', 'paused');
  await stage.delivered(1);
  stage.rollout({ phase: 'Progressing' });
  stage.happens('RolloutPaused', 'paused', 2);
  await stage.delivered(2);
  stage.rollout({ phase: 'Healthy' });
  stage.happens('RolloutCompleted');
  stage.happens('RolloutPaused', 'paused', 3);
  await stage.delivered(3);
  assert.deepEqual(stage.bodies(), ['web Paused', 'web Progressing', 'web Healthy']);
  assert.deepEqual(stage.bench.errors, []);
});

test('what an Event told is not told again by another process, nor what happened before it began', async (t) => {
  const stage = await Stage.start(t, { 'trigger.on-rollout-paused': '- send: [paused]', ...told('paused', 'told') });
  stage.rollout();
  stage.happens('RolloutPaused', 'before');
  const first = stage.begin();
  stage.begin();
  stage.happens('RolloutPaused', 'after');
  await stage.delivered(1);
  first.wake();
  stage.rollout({ phase: 'Healthy' });
  stage.happens('RolloutPaused', 'last');
  await stage.delivered(2);
  assert.deepEqual(stage.bodies(), ['told', 'told']);
});

test('the triggers of the catalogue are there without a ConfigMap that has them, by the names of Events', async (t) => {
  const stage = await Stage.start(t, told('rollout-completed', '{{.rollout.metadata.name}} is done'));
  stage.begin();
  stage.rollout({}, ['on-rollout-completed']);
  stage.happens('RolloutCompleted');
  await stage.delivered(1);
  assert.deepEqual(stage.bodies(), ['web is done']);
  const reasons = ['AnalysisRunError', 'AnalysisRunFailed', 'AnalysisRunRunning', 'RolloutAborted', 'RolloutCompleted'];
  const more = ['RolloutPaused', 'RolloutStepCompleted', 'RolloutUpdated', 'ScalingReplicaSet'];
  assert.deepEqual([...rolloutCatalogue.triggers.keys()], [...reasons, ...more].map(triggerOfReason));
});

test('templates and triggers see the AnalysisRuns of the revision', async (t) => {
  const stage = await Stage.start(t, {
    'trigger.on-rollout-aborted': '- send: [aborted]',
    'trigger.on-bad':
      '- when: "analysisRuns != nil and any(analysisRuns, {.status.phase == \'Failed\'})"\n  send: [bad]',
    ...told('aborted', '{{range .analysisRuns}}{{.metadata.name}} {{.status.phase}};{{end}}'),
    ...told('bad', 'bad'),
  });
  stage.begin();
  for (const [name, revision] of [
    ['a', '2'],
    ['b', '1'],
  ] as const)
    stage.bench.cluster.put({
      apiVersion,
      kind: 'AnalysisRun',
      metadata: {
        namespace,
        name,
        labels: { 'rollouts-pod-template-hash': 'abc' },
        annotations: { 'rollout.argoproj.io/revision': revision },
      },
      status: { phase: 'Failed' },
    });
  stage.rollout({ phase: 'Degraded' }, ['on-rollout-aborted', 'on-bad']);
  stage.happens('RolloutAborted');
  await stage.delivered(2);
  assert.deepEqual(stage.bodies().sort(), ['a Failed;', 'bad']);
});

test('Events that came while no process told are told by the next one, each once', async (t) => {
  const stage = await Stage.start(t, {
    'trigger.on-rollout-paused': '- send: [paused]',
    'trigger.on-rollout-completed': '- send: [completed]',
    ...told('paused', 'paused'),
    ...told('completed', 'completed'),
  });
  const last = Date.parse('2026-01-01T12:00:00Z');
  const at = (second: number) => ({ lastTimestamp: new Date(last + second * 1000).toISOString() });
  stage.rollout({}, ['on-rollout-paused', 'on-rollout-completed']);
  stage.happens('RolloutPaused', 'long-ago', 1, at(-60));
  stage.happens('RolloutPaused', 'missed', 3, at(5));
  stage.happens('RolloutCompleted', 'missed-too', 1, at(6));
  stage.begin({ missedSince: last });
  await stage.delivered(2);
  await stage.bench.stop();
  stage.begin({ missedSince: last });
  stage.happens('RolloutCompleted', 'last', 1, at(60));
  await stage.delivered(3);
  assert.deepEqual(stage.bodies().sort(), ['completed', 'completed', 'paused']);
});

test('each send is measured under the names of upstream, by the Event that it tells', async (t) => {
  const stage = await Stage.start(t, {
    'trigger.on-rollout-aborted': '- send: [aborted]',
    'trigger.on-slow': '- when: rollout.status.phase == "Degraded"\n  send: [aborted]',
    ...told('aborted', 'told'),
  });
  const metrics = new Registry();
  stage.begin({ metrics });
  stage.bench.receiver.answers(() => ({ status: stage.bodies().length > 1 ? 200 : 500 }));
  stage.rollout({ phase: 'Healthy' }, ['on-rollout-aborted', 'on-slow']);
  stage.happens('RolloutAborted', 'e', 1, { type: 'Warning' });
  await stage.bench.until(() => stage.bodies().length > 0, 'attempt');
  await stage.bench.until(() => stage.bench.records().length === 0, 'delivery', 1000);
  stage.rollout({ phase: 'Degraded' }, ['on-rollout-aborted', 'on-slow']);
  await stage.delivered(3);
  const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('notification_send'));
  const of = (name: string) => lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_count`));
  const object = 'namespace="argocd",name="web"';
  assert.deepEqual(of('notification_send_error'), [
    `notification_send_error{${object},type="Warning",reason="RolloutAborted"} 1`,
  ]);
  assert.deepEqual(of('notification_send_success'), [
    `notification_send_success{${object},type="Warning",reason="RolloutAborted"} 1`,
    `notification_send_success{${object},type="Normal",reason="Slow"} 1`,
  ]);
  assert.deepEqual(of('notification_send'), [`notification_send_count{${object}} 3`]);
  assert.equal(triggerOfReason(eventOfTrigger('on-rollout-step-completed').reason), 'on-rollout-step-completed');
});
