import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, connect } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { ScriptedClock } from '../../../foundation/kubernetes/scripted-clock.ts';
import type { Node, Pod } from '../machinery/workload-model.ts';
import { eventually } from '../testing/eventually.ts';

const ready = (object: Node | Pod | undefined) =>
  object?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

describe('A node that is lost', () => {
  const clock = new ScriptedClock(Date.now());
  let sandbox: Sandbox;
  let client: Client;
  /** Time passes until the object is as wanted: appointments of different components follow one another. */
  const pass = async <T extends Node | Pod>(kind: string, name: string, wanted: (object: T | undefined) => boolean) => {
    let done = false;
    const result = eventually<T>(client, 'v1', kind, name, wanted).finally(() => {
      done = true;
    });
    result.catch(() => undefined);
    while (!done) {
      await clock.advance(1_000);
      await new Promise((next) => setTimeout(next, 5));
    }
    return result;
  };
  const behave = (behavior: string | null) =>
    client.patch({ apiVersion: 'v1', kind: 'Node', name: 'sandbox-1' }, 'merge', {
      metadata: { annotations: { 'sandbox.tiphys.dev/behavior': behavior } },
    });

  before(async () => {
    sandbox = await startSandbox({ clock, nodes: [{ labels: { disk: 'fast' } }] });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    const spec = { containers: [{ name: 'main', image: 'nginx' }] };
    const impatient = {
      ...spec,
      tolerations: [
        { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', operator: 'Exists', tolerationSeconds: 5 },
      ],
    };
    for (const [name, given] of Object.entries({ patient: spec, impatient }))
      await client.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: given });
    for (const name of ['patient', 'impatient']) await pass<Pod>('Pod', name, (pod) => ready(pod) === 'True');
  });
  after(async () => {
    await client.close();
    await sandbox.close();
  });

  test('is tainted, its pods are not ready, and those that do not tolerate it go', async () => {
    await behave('lost');
    const node = await pass<Node>('Node', 'sandbox-1', (it) => (it?.spec?.taints ?? []).length === 2);
    const condition = node.status?.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual(
      [condition?.status, condition?.reason, condition?.message],
      ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'],
    );
    assert.deepEqual(
      node.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`),
      ['node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'],
    );
    await pass<Pod>('Pod', 'patient', (pod) => ready(pod) === 'False');
    const leaving = await pass<Pod>('Pod', 'impatient', (pod) => pod?.metadata.deletionTimestamp !== undefined);
    const target = leaving.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
    assert.equal(target?.reason, 'DeletionByTaintManager');
  });

  test('takes up its pods when it is back', async () => {
    await behave(null);
    const node = await pass<Node>('Node', 'sandbox-1', (it) => ready(it) === 'True' && !it?.spec?.taints);
    assert.equal(node.metadata.labels?.disk, 'fast');
    await pass<Pod>('Pod', 'patient', (pod) => ready(pod) === 'True');
    await pass<Pod>('Pod', 'impatient', (pod) => pod === undefined);
  });
});
