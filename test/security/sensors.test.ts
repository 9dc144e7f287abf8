import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Diagnosis } from '@tiphys/diagnosis';
import { startEvents } from '@tiphys/events';
import { connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { readFlags, retryFlags, submitFlags } from '../../packages/automate/events/trigger/workflow-flags.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const timeout = 60_000;

/** Events of an installation whose sensors are written by tenants, in a namespace of one. */
async function startTenant(t: TestContext) {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'sensors' } });
  t.after(() => client.close());
  const namespace = `tenant-${randomBytes(4).toString('hex')}`;
  const elsewhere = `${namespace}-other`;
  for (const name of [namespace, elsewhere])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const events = await startEvents({
    client,
    namespace: 'default',
    clock: systemClock,
    signal: new AbortController().signal,
    onError: () => undefined,
    env: { TIPHYS_EVENTS_IMPERSONATE: 'true' },
    sandbox: true,
    host: '127.0.0.1',
    scratch: '/nonexistent',
    random: () => 0,
  });
  t.after(() => events.close());
  const apply = (kind: string, name: string, spec: object) =>
    client.create({ apiVersion, kind, metadata: { name, namespace }, spec });
  const until = async (kind: string, name: string, holds: (object: KubeObject) => boolean): Promise<KubeObject> => {
    const ref = { apiVersion, kind, namespace };
    const options = { fieldSelector: `metadata.name=${name}` };
    const signal = AbortSignal.timeout(timeout);
    for (;;) {
      const list = await client.list(ref, options);
      const found = list.items[0];
      if (found && holds(found)) return found;
      signal.throwIfAborted();
      const since = { ...options, resourceVersion: list.metadata.resourceVersion ?? '0', signal };
      for await (const { type } of client.watch(ref, since)) if (type !== 'BOOKMARK') break;
    }
  };
  const ready = (kind: string, name: string) =>
    until(kind, name, ({ status }) => {
      const conditions = (status as { conditions?: { status: string }[] } | undefined)?.conditions ?? [];
      return conditions.length > 0 && conditions.every((condition) => condition.status === 'True');
    });
  await apply('EventBus', 'default', { nats: { native: { auth: 'token' } } });
  await ready('EventBus', 'default');
  await apply('EventSource', 'clock', { generic: {}, calendar: { tick: { schedule: '0 0 1 1 *' } } });
  return { client, events, namespace, elsewhere, apply, until, ready };
}

const diagnosesOf = ({ status }: KubeObject) =>
  JSON.stringify((status as { diagnoses?: Diagnosis[] } | undefined)?.diagnoses ?? []);

describe('A Sensor of a tenant', () => {
  test('acts with the rights of its service account, not with those of the process that runs it', async (t) => {
    const { client, events, namespace, elsewhere, apply, until, ready } = await startTenant(t);
    const map = (name: string, where: string) => ({
      template: {
        name,
        k8s: {
          operation: 'create',
          source: { resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: where } } },
        },
      },
    });
    await ready('EventSource', 'clock');
    await apply('Sensor', 'reaches-out', {
      template: { serviceAccountName: 'robot' },
      dependencies: [{ name: 'tick', eventSourceName: 'clock', eventName: 'tick' }],
      triggers: [map('own', namespace), map('others', elsewhere)],
    });
    await ready('Sensor', 'reaches-out');
    const send = () => events.access.send({ namespace, source: 'clock', event: 'tick' }, '{}');
    await send();
    const refused = await until('Sensor', 'reaches-out', (sensor) => /own/.test(diagnosesOf(sensor)));
    assert.match(diagnosesOf(refused), new RegExp(`system:serviceaccount:${namespace}:robot`));
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'robot', namespace } };
    await client.create({
      ...rbac,
      kind: 'Role',
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }],
    });
    await client.create({
      ...rbac,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'robot' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
    });
    await send();
    const ref = { apiVersion: 'v1', kind: 'ConfigMap' };
    const signal = AbortSignal.timeout(timeout);
    for await (const { object } of client.watch({ ...ref, namespace }, { resourceVersion: '0', signal }))
      if (object.metadata.name === 'own') break;
    await until('Sensor', 'reaches-out', (sensor) => /others/.test(diagnosesOf(sensor)));
    assert.equal(await client.find({ ...ref, namespace: elsewhere, name: 'others' }), undefined);
  });

  test('reads no file of the process that runs it (CVE-2022-25856)', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-sensor-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'key.yaml');
    writeFileSync(path, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: MARKERfile}\n');
    const { events, namespace, apply, until, ready } = await startTenant(t);
    await ready('EventSource', 'clock');
    await apply('Sensor', 'reads', {
      dependencies: [{ name: 'tick', eventSourceName: 'clock', eventName: 'tick' }],
      triggers: [{ template: { name: 'read', k8s: { operation: 'create', source: { file: { path } } } } }],
    });
    await ready('Sensor', 'reads');
    await events.access.send({ namespace, source: 'clock', event: 'tick' }, '{}');
    const sensor = await until('Sensor', 'reads', (object) => diagnosesOf(object) !== '[]');
    assert.match(diagnosesOf(sensor), /a file of the controller/);
    assert.doesNotMatch(JSON.stringify(sensor.status), /MARKERfile/);
  });

  test('takes no argument of the argo command that leads to another cluster or reads a file', () => {
    for (const args of [
      ['--kubeconfig', '/tmp/evil'],
      ['--kubeconfig=/tmp/evil'],
      ['-s', 'evil.example:443'],
      ['--argo-server=evil.example'],
      ['--as', 'system:admin'],
      ['-f', '/etc/passwd'],
      ['--parameter-file=/etc/passwd'],
      ['-p'],
      ['--restart-successful=x'],
      ['other-workflow'],
      ['constructor'],
      ['__proto__'],
    ])
      for (const flags of [submitFlags, retryFlags])
        assert.throws(() => readFlags(args, flags), /not supported|needs a value/, args.join(' '));
  });
});

test('what events, workflows and the history keep on disk is for its owner alone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-modes-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { openSqlite } = await import('@tiphys/sql');
  const { EventLog } = await import('../../packages/automate/events/bus/embedded/event-log.ts');
  const { LocalObjects } = await import('../../packages/automate/workflow-executor/local-store/local-objects.ts');
  const file = join(folder, 'history.db');
  const database = await openSqlite(file);
  await database.query('create table a (b)');
  const log = new EventLog(join(folder, 'events.sqlite'), { now: () => 0, onError: () => undefined });
  const objects = new LocalObjects(join(folder, 'objects'));
  const modes = ['history.db', 'history.db-wal', 'events.sqlite', 'events.sqlite-wal', 'objects/index.db'].map(
    (name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)] as const,
  );
  await database.close();
  await log.close();
  objects.close();
  assert.deepEqual(
    modes.filter(([, mode]) => mode !== '600'),
    [],
  );
});
