import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startWorkflows } from '../../workflows/controller/start-workflows.ts';
import type { Workflow } from '../../workflows/model/types.ts';
import { startSimulatedExecutor } from '../../workflows/simulated-executor/simulated-executor.ts';
import { act as run } from './testing/act.ts';

type Stored = KubeObject & Workflow;

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'flows';
const timeout = 60_000;

describe('triggers that submit workflows and change them', () => {
  let client: Client;
  const closers: (() => Promise<void>)[] = [];

  before(async () => {
    const sandbox = await startSandbox({ nodes: 1 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'workflow triggers' } });
    const abort = new AbortController();
    const shared = { client, clock: systemClock, signal: abort.signal, onError: () => undefined };
    for (const name of ['argo', namespace])
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const base = { env: {}, executorImage: 'argoexec', wrapsCommands: false };
    const runtime = await startWorkflows({ ...shared, namespace: 'argo', base });
    await startSimulatedExecutor(shared);
    closers.push(
      async () => abort.abort(new Error('over')),
      () => runtime.close(),
      () => client.close(),
      () => sandbox.close(),
    );
  });

  after(async () => {
    for (const close of closers) await close();
  });

  const container = { image: 'alpine', command: ['echo', '{{workflow.parameters.name}}'] };
  const spec = {
    entrypoint: 'main',
    arguments: { parameters: [{ name: 'name', value: 'nobody' }] },
    templates: [
      { name: 'main', container },
      { name: 'other', container },
    ],
  };
  const workflow = (metadata: KubeObject['metadata'], body: object = spec): KubeObject => ({
    ...{ apiVersion, kind: 'Workflow', metadata },
    spec: { ...body },
  });
  const act = (operation: string, resource: object, more: object = {}, of: object = {}) =>
    run({ argoWorkflow: { operation, source: { resource }, ...more } }, undefined, { client, namespace, ...of });
  const named = (name: string) => ({ apiVersion, kind: 'Workflow', metadata: { name } });
  const get = (name: string) => client.get<Stored>({ apiVersion, kind: 'Workflow', namespace, name });
  const all = async (): Promise<Stored[]> =>
    (await client.list<Stored>({ apiVersion, kind: 'Workflow', namespace })).items;

  const until = async (name: string, holds: (found: Stored) => boolean): Promise<Stored> => {
    const ref = { apiVersion, kind: 'Workflow', namespace };
    const { metadata, items } = await client.list<Stored>(ref);
    const listed = items.find((item) => item.metadata.name === name && holds(item));
    if (listed) return listed;
    const since = { resourceVersion: metadata.resourceVersion ?? '', signal: AbortSignal.timeout(timeout) };
    for await (const { object } of client.watch<Stored>(ref, since))
      if (object.metadata.name === name && holds(object)) return object;
    throw new Error('the watch ended');
  };
  const phase = (wanted: string) => (found: Stored) => found.status?.phase === wanted;
  const waiting = ({ status }: Stored) =>
    Object.values(status?.nodes ?? {}).some(({ type, phase: own }) => type === 'Suspend' && own === 'Running');

  it('submits with parameters of the event, and with what args say', async () => {
    const said = await act('submit', workflow({ generateName: 'first-' }), {
      parameters: [
        { src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'spec.arguments.parameters.0.value' },
        { src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'metadata.generateName', operation: 'prepend' },
      ],
      args: ['--entrypoint=other', '-l', 'team=a,tier=b', '--serviceaccount', 'robot', '--priority', '3'],
    });
    const name = /^submit of workflow flows\/(webfirst-\w{5})$/.exec(said)?.[1] ?? said;
    const found = await get(name);
    const { entrypoint, serviceAccountName, priority, arguments: given } = found.spec;
    assert.deepEqual([entrypoint, serviceAccountName, priority], ['other', 'robot', 3]);
    assert.deepEqual(given?.parameters, [{ name: 'name', value: 'web' }]);
    const { labels = {} } = found.metadata;
    assert.deepEqual(
      ['team', 'tier', 'events.argoproj.io/sensor', 'events.argoproj.io/trigger'].map((key) => labels[key]),
      ['a', 'b', 'sensor', 'under-test'],
    );
    await act('submit', workflow({ generateName: 'x-' }), { args: ['--name', 'second', '-p', 'name=a=b'] });
    assert.deepEqual((await get('second')).spec.arguments?.parameters, [{ name: 'name', value: 'a=b' }]);
  });

  it('submits once for the same events where that is asked for, and else anew', async () => {
    const prefixed = async (prefix: string) =>
      (await all()).filter(({ metadata }) => metadata.name?.startsWith(prefix)).length;
    const once = { 'events.tiphys.dev/once': 'true' };
    for (let turn = 0; turn < 2; turn++) {
      await act('submit', workflow({ generateName: 'once-', annotations: once }));
      await act('submit', workflow({ generateName: 'whole-sensor-' }), {}, { isOnce: true });
      await act('submit', workflow({ generateName: 'often-' }));
    }
    assert.deepEqual([await prefixed('once-'), await prefixed('whole-sensor-'), await prefixed('often-')], [1, 1, 2]);
  });

  it('submits from templates and cron workflows', async () => {
    const { templates, ...rest } = spec;
    await client.create({ ...workflow({ name: 'tmpl', namespace }), kind: 'WorkflowTemplate' });
    await client.create({
      ...{ apiVersion, kind: 'CronWorkflow', metadata: { name: 'nightly', namespace } },
      spec: { schedules: ['0 0 1 1 *'], suspend: true, workflowSpec: { ...rest, templates } },
    });
    for (const [kind, name] of [
      ['WorkflowTemplate', 'tmpl'],
      ['CronWorkflow', 'nightly'],
    ] as const) {
      const said = await act('submit-from', { apiVersion, kind, metadata: { name } }, { args: ['-p', 'name=z'] });
      const made = /flows\/(.+)$/.exec(said)?.[1] ?? said;
      assert.match(made, new RegExp(`^${name}-`));
      assert.equal((await until(made, phase('Succeeded'))).spec.arguments?.parameters?.[0]?.value, 'z');
    }
    await assert.rejects(
      act('submit-from', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }),
      /invalid kind Pod/,
    );
  });

  it('suspends, resumes what waits, stops and terminates', async () => {
    const waits = {
      entrypoint: 'main',
      templates: [
        { name: 'main', steps: [[{ name: 'approve', template: 'wait' }], [{ name: 'say', template: 'say' }]] },
        { name: 'wait', suspend: {} },
        { name: 'say', container: { image: 'alpine', command: ['echo'] } },
      ],
    };
    for (const name of ['resumed', 'stopped', 'killed']) await client.create(workflow({ name, namespace }, waits));
    await until('resumed', waiting);
    await act('resume', named('resumed'), { args: ['--node-field-selector', 'displayName=approve'] });
    await until('resumed', phase('Succeeded'));
    await assert.rejects(act('suspend', named('resumed')), /cannot suspend completed workflows/);
    await assert.rejects(act('stop', named('resumed')), /cannot shutdown a completed workflow: resumed/);
    await assert.rejects(act('resume', named('resumed')), /is not suspended/);
    await until('stopped', waiting);
    await act('suspend', named('stopped'));
    assert.equal((await get('stopped')).spec.suspend, true);
    await act('resume', named('stopped'));
    await until('stopped', phase('Succeeded'));
    await until('killed', waiting);
    await act('stop', named('killed'), { args: ['--node-field-selector=displayName=approve', '--message', 'no'] });
    const { status } = await until('killed', phase('Failed'));
    assert.ok(Object.values(status?.nodes ?? {}).some(({ message }) => message === 'no'));
    await client.create(workflow({ name: 'ended', namespace }, waits));
    await until('ended', waiting);
    await act('terminate', named('ended'));
    await until('ended', phase('Failed'));
  });

  it('runs again what failed, or all of it as a new workflow', async () => {
    const fails = {
      entrypoint: 'main',
      arguments: { parameters: [{ name: 'code', value: '1' }] },
      templates: [
        {
          name: 'main',
          container: { image: 'alpine', command: ['sh', '-c', 'exit {{workflow.parameters.code}}'] },
        },
      ],
    };
    await client.create(workflow({ name: 'fails', namespace }, fails));
    await until('fails', phase('Failed'));
    const said = await act('resubmit', named('fails'), { args: ['-p', 'code=0'] });
    await until(/flows\/(.+)$/.exec(said)?.[1] ?? said, phase('Succeeded'));
    await act('retry', named('fails'), { args: ['-p', 'code=0'] });
    await until('fails', phase('Succeeded'));
    await assert.rejects(act('retry', named('fails')), /To retry a succeeded workflow/);
  });

  it('refuses what it cannot do, with what there is', async () => {
    await assert.rejects(act('submit', named('')), /neither name nor generateName is given/);
    await assert.rejects(act('stop', named('')), /failed to execute the workflow stop operation, no name is given/);
    await assert.rejects(act('dance', named('a')), /unknown operation type dance; there are submit, submit-from/);
    await assert.rejects(act('submit', named('a'), { args: ['--wait'] }), /"--wait" is not supported .* there are -p/);
    await assert.rejects(act('suspend', named('a'), { args: ['-l', 'a=b'] }), /"-l" is not supported .* it has none/);
    await assert.rejects(
      act('submit', named('a'), { args: ['--priority', 'high'] }),
      /"high", which is no whole number/,
    );
    await assert.rejects(act('submit', named('a'), { args: ['-l', 'a'] }), /"a" is not of the form NAME=VALUE/);
    await assert.rejects(act('stop', named('nowhere')), /not found/);
  });
});
