import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';

/** What a budget of one healthy pod says to the eviction of a pod that is not ready. */
const cases: { name: string; policy?: string; currentHealthy: number; code: number }[] = [
  { name: 'a budget that is kept', currentHealthy: 1, code: 201 },
  { name: 'a budget that is broken', currentHealthy: 0, code: 429 },
  { name: 'a broken budget with AlwaysAllow', policy: 'AlwaysAllow', currentHealthy: 0, code: 201 },
];

for (const { name, policy, currentHealthy, code } of cases)
  test(`${name} answers the eviction of an unready pod with ${code}`, async () => {
    await using sandbox = await startSandbox({ controllers: false, nodes: 0 });
    const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    const metadata = { name: 'it', namespace: 'default', labels: { app: 'it' } };
    const spec = { containers: [{ name: 'main', image: 'nginx' }] };
    await client.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec } as KubeObject);
    await client.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'it', namespace: 'default' },
      spec: {
        minAvailable: 1,
        selector: { matchLabels: { app: 'it' } },
        ...(policy ? { unhealthyPodEvictionPolicy: policy } : {}),
      },
    } as KubeObject);
    const write = (apiVersion: string, kind: string, status: object) =>
      client.patch(
        { apiVersion, kind, namespace: 'default', name: 'it' },
        'merge',
        { status },
        { subresource: 'status' },
      );
    await write('v1', 'Pod', { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] });
    const status = { disruptionsAllowed: 0, observedGeneration: 1, currentHealthy, desiredHealthy: 1, expectedPods: 1 };
    await write('policy/v1', 'PodDisruptionBudget', status);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'it' } };
    const answered = await client.request('POST', '/api/v1/namespaces/default/pods/it/eviction', { body }).then(
      ({ status: answer }) => answer,
      (error: { status?: number }) => error.status,
    );
    assert.equal(answered, code);
    await client.close();
  });
