import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import type { Trigger } from '../spec/sensor.ts';
import { act as run } from './testing/act.ts';

const namespace = 'made';
const name = { src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'data.from' };

describe('triggers that make and change objects', () => {
  let sandbox: Sandbox;
  let client: Client;
  const waited: number[] = [];

  before(async () => {
    sandbox = await startSandbox({ controllers: false, nodes: 0 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'triggers' } });
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });
  after(async () => {
    await client?.close();
    await sandbox?.close();
  });

  const clock = { now: () => 5, sleep: async (ms: number) => void waited.push(ms) };
  const act = (k8s: object, policy?: Trigger['policy']) => run({ k8s }, policy, { client, namespace, clock });
  const map = (of: string, data: object = {}, metadata: object = {}) => ({
    source: { resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: of, ...metadata }, data } },
  });
  const get = (of: string) => client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: of });
  const dataOf = async (of: string) => (await get(of))?.data as Record<string, string> | undefined;

  it('create, with labels that say who, in the namespace of the sensor or none', async () => {
    assert.equal(await act({ ...map('one', { a: '1' }), parameters: [name] }), 'created ConfigMap made/one');
    assert.deepEqual(await dataOf('one'), { a: '1', from: 'web' });
    assert.deepEqual((await get('one'))?.metadata.labels, {
      'events.argoproj.io/sensor': 'sensor',
      'events.argoproj.io/trigger': 'under-test',
      'events.argoproj.io/action-timestamp': '5',
    });
    await assert.rejects(act(map('one')), { message: /already exists/ });
    const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: wide}\n';
    assert.equal(await act({ source: { inline: role } }), 'created ClusterRole wide');
  });

  it('update by merging: what is empty changes nothing, lists are replaced; what is not there is created', async () => {
    assert.match(
      await act({ operation: 'update', ...map('two', { a: '1', b: '2' }) }),
      /created ConfigMap made\/two, which was not/,
    );
    assert.equal((await get('two'))?.metadata.labels, undefined);
    const finalizers = (...of: string[]) => ({ finalizers: of });
    await act({ operation: 'update', ...map('two', { a: '', b: '3' }, finalizers('x.io/a', 'x.io/b')) });
    await act({ operation: 'update', ...map('two', { c: '4' }, finalizers('x.io/c')) });
    assert.deepEqual(await dataOf('two'), { a: '1', b: '3', c: '4' });
    assert.deepEqual((await get('two'))?.metadata.finalizers, ['x.io/c']);
  });

  it('update the live object, which must be named with its namespace', async () => {
    const parameters = [
      { ...name, operation: 'append', dest: 'data.a' },
      { src: { dependencyName: 'dep', value: 'w' }, dest: 'metadata.labels.app\\.io/of' },
    ];
    await client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'live', namespace },
      data: { a: 'x', b: 'y' },
    });
    await assert.rejects(
      act({ operation: 'update', liveObject: true, ...map('live'), parameters }),
      /namespace must be/,
    );
    await act({ operation: 'update', liveObject: true, ...map('live', {}, { namespace }), parameters });
    assert.deepEqual(await dataOf('live'), { a: 'xweb', b: 'y' });
    assert.deepEqual((await get('live'))?.metadata.labels, { 'app.io/of': 'w' });
  });

  it('patch by each strategy', async () => {
    await act({ operation: 'patch', ...map('three', { a: '1', b: '2' }) });
    await act({ operation: 'patch', ...map('three', { a: null, c: '3' }) });
    assert.deepEqual(await dataOf('three'), { b: '2', c: '3' });
    const strategy = (patchStrategy: string) => ({ operation: 'patch', patchStrategy });
    await act({ ...strategy('application/strategic-merge-patch+json'), ...map('three', { d: '4' }) });
    await act({ ...strategy('application/apply-patch+yaml'), ...map('three', { e: '5' }) });
    assert.deepEqual(await dataOf('three'), { b: '2', c: '3', d: '4', e: '5' });
    await assert.rejects(act({ ...strategy('by-hand'), ...map('three') }), /patchStrategy by-hand is none of/);
  });

  it('delete, also what is not there', async () => {
    await act(map('four'));
    assert.equal(await act({ operation: 'delete', ...map('four') }), 'deleted ConfigMap made/four');
    assert.equal(await act({ operation: 'delete', ...map('four') }), 'ConfigMap made/four was not there');
    assert.equal(await get('four'), undefined);
  });

  it('wait for labels as the policy says, and fail only if it says that', async () => {
    const policy = (labels: Record<string, string>, more: object = {}) => ({
      k8s: { labels, backoff: { steps: 3, duration: '2s', factor: 2, jitter: 0 }, ...more },
    });
    waited.length = 0;
    await act(map('five', {}, { labels: { done: 'yes' } }), policy({ done: 'yes' }));
    assert.deepEqual(waited, []);
    await act(map('six', {}, { labels: { done: 'no' } }), policy({ done: 'yes', more: '' }));
    assert.deepEqual(waited, [2000, 4000]);
    await assert.rejects(
      act(map('seven'), policy({ done: 'yes' }, { errorOnBackoffTimeout: true })),
      /failed to determine status of the triggered resource/,
    );
  });

  it('refuse sources that hold no object, or several', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n';
    for (const [source, problem] of [
      [{ inline: `${text}---\n${text}` }, /inline holds 2 objects, a trigger needs one/],
      [{ inline: '' }, /inline holds 0 objects/],
      [{}, /has none of s3, inline/],
      [{ inline: 'metadata: {name: x}' }, /no apiVersion or no kind/],
    ] as const)
      await assert.rejects(act({ source }), problem);
    await assert.rejects(
      act({ operation: 'patch', source: { inline: 'apiVersion: v1\nkind: ConfigMap\n' } as unknown as KubeObject }),
      /has no name, which patch needs/,
    );
  });
});
