import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@tiphys/kubernetes';
import { outboxAnnotation, readEntries } from '../outbox/entry.ts';
import { NotificationBench } from '../testing/notification-bench.ts';

const notified = 'notified.notifications.argoproj.io';

const settings = (
  url: string,
  when = "app.status.health.status == 'Degraded'",
  oncePer = '',
): Record<string, string> => ({
  'service.webhook.hook': `url: ${url}`,
  'trigger.on-bad': `- when: ${when}\n  send: [bad]${oncePer ? `\n  oncePer: ${oncePer}` : ''}`,
  'template.bad':
    'message: "{{.app.metadata.name}} is {{.app.status.health.status}}"\nwebhook:\n  hook:\n    method: POST\n    body: "{{.app.metadata.name}} {{.app.status.health.status}} {{.recipient}}"',
});

test('a condition that begins to hold is told once, however often the object changes', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url));
  bench.begin();
  bench.app('Degraded');
  await bench.until(() => bench.receiver.received.length === 1 && bench.records().length === 0, 'the delivery');
  for (let i = 0; i < 5; i++) bench.app('Degraded', { status: { reconciledAt: String(i) } });
  bench.app('Degraded', { name: 'other', annotations: { 'notifications.argoproj.io/subscribe.on-bad.hook': 'team' } });
  await bench.until(() => bench.receiver.received.length === 2 && bench.records().length === 0, 'the other delivery');
  assert.deepEqual(
    bench.receiver.received.map(({ body }) => body),
    ['shop Degraded ', 'other Degraded team'],
  );
  assert.match(bench.annotation(notified) ?? '', /^\{"on-bad:\[0\]\.[\w-]+:hook:":\d{10}\}$/);
  assert.equal(bench.annotation(outboxAnnotation), undefined);
  assert.deepEqual(bench.errors, []);
});

test('a condition that holds anew is told anew, also while the receiver is down', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url));
  let isDown = true;
  bench.receiver.answers(() => ({ status: isDown ? 503 : 200 }));
  bench.begin();
  for (const health of ['Degraded', 'Healthy', 'Degraded', 'Healthy', 'Degraded']) {
    bench.app(health);
    const isBad = health === 'Degraded';
    await bench.until(() => (bench.annotation(notified) !== undefined) === isBad, `the mark of ${health}`);
  }
  isDown = false;
  bench.receiver.received.length = 0;
  await bench.until(() => bench.records().length === 0, 'the deliveries', 1000);
  assert.deepEqual(bench.receiver.received.filter(({ body }) => body === 'shop Degraded ').length, 3);
});

test('what is sent once for a value is not sent again for it', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url, undefined, 'app.status.sync.revision'));
  bench.begin();
  for (const health of ['Degraded', 'Healthy', 'Degraded']) bench.app(health);
  await bench.until(() => bench.receiver.received.length === 1 && bench.records().length === 0, 'the delivery');
  bench.app('Degraded', { status: { sync: { status: 'Synced', revision: 'def' } } });
  await bench.until(() => bench.receiver.received.length === 2 && bench.records().length === 0, 'the next revision');
  assert.match(bench.annotation(notified) ?? '', /"abc:on-bad.*"def:on-bad/);
});

test('what Argo CD told already is not told again', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url));
  bench.begin();
  bench.app('Degraded', { name: 'first' });
  await bench.until(() => bench.receiver.received.length === 1, 'the delivery');
  const mark = bench.annotation(notified, 'first') as string;
  bench.app('Degraded', { annotations: { [notified]: mark } });
  bench.app('Degraded', { name: 'third' });
  await bench.until(() => bench.receiver.received.length === 2, 'the third');
  assert.deepEqual(
    bench.receiver.received.map(({ body }) => body.split(' ')[0]),
    ['first', 'third'],
  );
});

/** A client whose process dies at a request: it is answered no more, and the request was done or not. */
function dying(client: Client, at: number, isDone: boolean): { client: Client; died: () => boolean } {
  let count = 0;
  const proxy = new Proxy(client, {
    get(target, name) {
      const member = target[name as keyof Client];
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const number = count++;
        if (number > at || (number === at && !isDone)) return await new Promise(() => undefined);
        const answer = await (member as (...args: unknown[]) => Promise<unknown>).apply(target, args);
        if (number === at) return await new Promise(() => undefined);
        return answer;
      };
    },
  });
  return { client: proxy, died: () => count > at };
}

test('a process that dies at any request loses nothing, and its successor tells under the same id', async (t) => {
  let died = true;
  for (let at = 0; died; at++)
    for (const isDone of [false, true]) {
      const bench = await NotificationBench.start(t);
      bench.configure(settings(bench.receiver.url));
      bench.app('Degraded');
      const first = dying(bench.cluster.client, at, isDone);
      bench.begin(first.client);
      await bench.until(() => first.died() || bench.records().length + bench.receiver.received.length > 0, 'the start');
      await bench.until(
        () => first.died() || (bench.records().length === 0 && bench.receiver.received.length > 0),
        'the death',
      );
      died = first.died();
      bench.begin();
      await bench.until(
        () =>
          bench.receiver.received.length > 0 &&
          bench.records().length === 0 &&
          bench.annotation(outboxAnnotation) === undefined,
        `the delivery after a death at request ${at} (${isDone ? 'done' : 'not done'})`,
        10_000,
      );
      const ids = new Set(bench.receiver.received.map(({ headers }) => headers['idempotency-key']));
      assert.equal(ids.size, 1, `death at request ${at}: ${bench.receiver.received.length} attempts`);
      await bench.receiver.close();
    }
});

test('two processes at once tell once', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url));
  bench.begin();
  bench.begin();
  const names = Array.from({ length: 20 }, (_unused, i) => `app-${i}`);
  for (const name of names) bench.app('Degraded', { name });
  await bench.until(
    () => names.every((name) => bench.annotation(notified, name) !== undefined) && bench.records().length === 0,
    'the deliveries',
    1000,
  );
  assert.deepEqual(bench.receiver.received.map(({ body }) => body.split(' ')[0]).sort(), [...names].sort());
});

test('a failure is told on the object, and a correction of the settings is tried at once', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure({ ...settings(bench.receiver.url), 'template.bad': 'message: "{{.app.nope.x | upper}}"' });
  bench.begin();
  bench.app('Degraded');
  await bench.until(() => readEntries(bench.annotation(outboxAnnotation))[0]?.problem !== undefined, 'the problem');
  const [entry] = readEntries(bench.annotation(outboxAnnotation));
  assert.equal(entry?.problem?.code, 'NotificationTemplateFailed');
  assert.match(entry?.problem?.message ?? '', /field message of the template bad failed/);
  assert.ok(bench.cluster.objects('Event').some(({ reason }) => reason === 'NotificationFailed'));
  await bench.clock.advance(1);
  bench.configure(settings(bench.receiver.url));
  await bench.until(() => bench.receiver.received.length === 1 && bench.records().length === 0, 'the delivery');
  assert.equal(bench.annotation(outboxAnnotation), undefined);
});

test('what a receiver repeats of a secret is not kept', async (t) => {
  const bench = await NotificationBench.start(t);
  const data = settings(bench.receiver.url);
  bench.configure(
    {
      ...data,
      'service.webhook.hook': `url: ${bench.receiver.url}\nheaders:\n- {name: Authorization, value: Bearer $token}`,
    },
    { token: 'marker-4711' },
  );
  bench.receiver.answers(({ headers }) => ({ status: 401, body: `no: ${headers.authorization}` }));
  bench.begin();
  bench.app('Degraded');
  await bench.until(() => readEntries(bench.annotation(outboxAnnotation))[0]?.problem !== undefined, 'the problem');
  assert.equal(readEntries(bench.annotation(outboxAnnotation))[0]?.problem?.code, 'NotificationCredentialsRefused');
  const shown = JSON.stringify([
    bench.records().map(({ metadata }) => metadata),
    bench.stored(),
    bench.cluster.objects('Event'),
  ]);
  assert.ok(!shown.includes('marker-4711'));
  assert.ok(shown.includes('Bearer ***'));
});

test('a receiver that is down is tried by one notification at a time', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url));
  let isDown = true;
  bench.receiver.answers(() => ({ status: isDown ? 503 : 200 }));
  bench.begin();
  bench.app('Degraded', { name: 'first' });
  await bench.until(() => bench.receiver.received.length === 1, 'the first attempt');
  await bench.until(
    () => readEntries(bench.annotation(outboxAnnotation, 'first'))[0]?.problem !== undefined,
    'the problem',
  );
  const names = Array.from({ length: 30 }, (_unused, i) => `app-${i}`);
  for (const name of names) bench.app('Degraded', { name });
  await bench.until(() => bench.records().length === 31, 'the records');
  await bench.clock.advance(5000);
  await bench.until(() => bench.receiver.received.length >= 2, 'the second attempt');
  assert.ok(bench.receiver.received.length <= 3, `${bench.receiver.received.length} attempts`);
  isDown = false;
  await bench.until(() => bench.records().length === 0, 'the deliveries', 1000);
  assert.equal(new Set(bench.receiver.received.map(({ body }) => body)).size, 31);
});

test('a notification that nobody takes for a day is given up, and said so', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url));
  bench.receiver.answers(() => ({ status: 500, body: 'broken' }));
  bench.begin();
  bench.app('Degraded');
  await bench.until(() => bench.records().length === 1, 'the record');
  await bench.until(() => readEntries(bench.annotation(outboxAnnotation))[0]?.givenUp === true, 'the end', 300_000);
  assert.equal(bench.records().length, 0);
  assert.equal(readEntries(bench.annotation(outboxAnnotation))[0]?.problem?.code, 'NotificationGivenUp');
});

test('an object that goes while its notification waits is told of nevertheless', async (t) => {
  const bench = await NotificationBench.start(t);
  bench.configure(settings(bench.receiver.url));
  let isDown = true;
  bench.receiver.answers(() => ({ status: isDown ? 503 : 200 }));
  bench.begin();
  bench.app('Degraded');
  await bench.until(() => readEntries(bench.annotation(outboxAnnotation))[0]?.problem !== undefined, 'the failure');
  bench.cluster.remove({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'shop' });
  isDown = false;
  await bench.until(() => bench.records().length === 0, 'the delivery', 1000);
  assert.equal(bench.receiver.received.at(-1)?.body, 'shop Degraded ');
});

test('projects, labels and the settings of a tenant subscribe too', async (t) => {
  const bench = await NotificationBench.start(t);
  const data = settings(bench.receiver.url);
  bench.configure({
    ...data,
    subscriptions: '- recipients: [hook:everybody]\n  triggers: [on-bad]\n  selector: team=a',
  });
  bench.cluster.put({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: {
      namespace: 'argocd',
      name: 'default',
      annotations: { 'notifications.argoproj.io/subscribe.on-bad.hook': 'project' },
    },
  });
  bench.cluster.put({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'team-a', name: 'argocd-notifications-cm' },
    data: {
      ...data,
      'template.bad':
        'webhook:\n  hook:\n    method: POST\n    body: "own {{.app.metadata.name}} {{.secrets}} {{.recipient}}"',
    },
  });
  bench.begin(bench.cluster.client, { selfService: true, skips: () => undefined });
  const app = bench.app('Degraded', {
    name: 'labelled',
    annotations: { 'notifications.argoproj.io/subscribe.on-bad.hook': 'self' },
  });
  app.metadata.labels = { team: 'a' };
  bench.cluster.put(app);
  bench.cluster.put({
    ...app,
    metadata: { namespace: 'team-a', name: 'own', annotations: app.metadata.annotations ?? {} },
  });
  await bench.until(() => bench.receiver.received.length === 7 && bench.records().length === 0, 'the deliveries');
  assert.deepEqual(bench.receiver.received.map(({ body }) => body).sort(), [
    'labelled Degraded everybody',
    'labelled Degraded project',
    'labelled Degraded self',
    'own Degraded project',
    'own Degraded self',
    'own own <no value> project',
    'own own <no value> self',
  ]);
});
