import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { planSync } from '../index.ts';
import { type TestCluster, testCluster } from '../testing/cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await testCluster();
});
after(() => cluster.close());

const config = (name: string, extra = '') =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${extra}}, data: {a: b}}\n---\n`;

describe('a comparison', () => {
  it('shows no drift in what was just applied, whatever the server adds or rewrites', async () => {
    const text = readFileSync(join(import.meta.dirname, '..', 'testdata', 'kinds.yaml'), 'utf8');
    const served = parseAllDocuments(text).filter(
      (document) =>
        !['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration', 'APIService'].includes(
          String(document.get('kind')),
        ),
    );
    const desired = cluster.desired(
      served.map((document) => `---\n${document.toString({ directives: false })}`).join(''),
    );
    for (const syncOptions of [[], ['ServerSideApply=true']]) {
      const state = await cluster.step(desired, undefined, { syncOptions });
      const failed = state.resources
        .filter(({ status }) => status !== 'Synced')
        .map(({ kind, name, message }) => `${kind} ${name}: ${message}`);
      assert.deepEqual(failed, [], state.message);
      await cluster.seen(
        () =>
          cluster.cache.node({ group: 'example.com', kind: 'Widget', namespace: 'shop', name: 'one' }) !== undefined,
      );
      const comparison = await cluster.compare(desired, { options: { syncOptions } });
      const drift = comparison.resources
        .filter(({ status }) => status !== 'Synced')
        .map(({ key, differences }) => `${key.kind} ${key.name} ${JSON.stringify(differences)}`);
      assert.deepEqual(drift, []);
    }
    const again = await cluster.step(desired);
    assert.deepEqual(
      again.resources
        // a definition has no mark, so that server-side apply leaves it no annotation at all
        .filter(({ message, kind }) => !message?.endsWith(' unchanged') && kind !== 'CustomResourceDefinition')
        .map(({ kind, name, message }) => `${kind} ${name}: ${message}`),
      [],
    );
  });

  it('warns of repeated objects with both places, and of those of another application', async () => {
    const tracking = { method: 'annotation' as const, instance: 'second' };
    await cluster.step(cluster.desired(config('shared')));
    const comparison = await cluster.compare(cluster.desired(config('twice') + config('twice') + config('shared')), {
      tracking,
    });
    assert.deepEqual(
      comparison.findings.map(({ type }) => type),
      ['RepeatedResourceWarning', 'SharedResourceWarning'],
    );
    assert.equal(
      comparison.findings[0]?.diagnosis.message,
      'Resource /ConfigMap/shop/twice appeared 2 times among application resources.',
    );
    assert.equal(comparison.findings[1]?.diagnosis.message, 'ConfigMap/shared is part of applications second and app');
    const plan = planSync(comparison, {
      revision: 'r',
      startedAt: '2026-01-01T00:00:00Z',
      syncOptions: ['FailOnSharedResource=true'],
    });
    assert.equal(plan.refusals[0]?.cause, 'C20');
  });

  it('takes a copy of a tracked object for nobody’s', async () => {
    await cluster.client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'copy',
        namespace: 'shop',
        annotations: { 'argocd.argoproj.io/tracking-id': 'app:/ConfigMap:shop/original' },
      },
    });
    await cluster.seen(
      () => cluster.cache.node({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'copy' }) !== undefined,
    );
    const comparison = await cluster.compare([]);
    assert.ok(!comparison.resources.some(({ key }) => key.name === 'copy'));
  });

  it('is not OutOfSync for extra objects that ask for it', async () => {
    const tracking = { method: 'annotation' as const, instance: 'extra' };
    const annotations = {
      'argocd.argoproj.io/tracking-id': 'extra:/ConfigMap:shop/extra',
      'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
    };
    await cluster.client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'extra', namespace: 'shop', annotations },
    });
    await cluster.seen(
      () => cluster.cache.node({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'extra' }) !== undefined,
    );
    const comparison = await cluster.compare([], { tracking });
    assert.equal(comparison.sync, 'Synced');
    assert.equal(comparison.resources[0]?.requiresPruning, true);
  });

  it('finds an object that exists untracked, and adopts it', async () => {
    await cluster.client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'there', namespace: 'shop' },
      data: { a: 'b' },
    });
    await cluster.seen(
      () => cluster.cache.node({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'there' }) !== undefined,
    );
    const desired = cluster.desired(config('there'));
    const before = (await cluster.compare(desired)).resources.find(({ key }) => key.name === 'there');
    assert.deepEqual(
      before?.differences.map(({ path }) => path),
      ['metadata.annotations'],
    );
    const state = await cluster.step(desired);
    assert.ok(state.resources.some(({ message }) => message === 'configmap/there configured'));
  });

  it('leaves ignored fields to their owner where RespectIgnoreDifferences is set', async () => {
    const deployment = (replicas: number) =>
      cluster.desired(
        `{apiVersion: apps/v1, kind: Deployment, metadata: {name: scaled}, spec: {replicas: ${replicas}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}`,
      );
    await cluster.step(deployment(1));
    await cluster.client.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled', namespace: 'shop' },
      'merge',
      { spec: { replicas: 7 } },
      { fieldManager: 'hpa' },
    );
    await cluster.seen(
      () =>
        (
          cluster.cache.get({ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'scaled' }) as
            | { spec?: { replicas?: number } }
            | undefined
        )?.spec?.replicas === 7,
    );
    const drifted = await cluster.compare(deployment(1));
    assert.deepEqual(drifted.resources.find(({ key }) => key.name === 'scaled')?.differences, [
      { path: 'spec.replicas', live: 7, desired: 1, manager: 'hpa' },
    ]);
    const ignoreDifferences = [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }];
    const comparison = await cluster.compare(deployment(1), { ignoreDifferences });
    const scaled = comparison.resources.find(({ key }) => key.name === 'scaled');
    assert.equal(scaled?.status, 'Synced');
    const plan = planSync(comparison, {
      revision: 'r',
      startedAt: '2026-01-01T00:00:00Z',
      syncOptions: ['RespectIgnoreDifferences=true'],
    });
    const task = plan.tasks.find(({ key }) => key.name === 'scaled');
    assert.equal((task?.desired as { spec?: { replicas?: number } } | undefined)?.spec?.replicas, 7);
  });

  it('compares by the server where asked, without showing a Secret', async () => {
    const desired = cluster.desired(
      '{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {argocd.argoproj.io/compare-options: ServerSideDiff=true}}, stringData: {p: MARKER-one}}',
    );
    await cluster.step(desired);
    const changed = cluster.desired(
      '{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {argocd.argoproj.io/compare-options: ServerSideDiff=true}}, stringData: {p: MARKER-two}}',
    );
    const comparison = await cluster.compare(changed);
    const secret = comparison.resources.find(({ key }) => key.name === 's');
    assert.deepEqual(
      secret?.differences.map(({ path }) => path),
      ['data.p'],
    );
    const shown = JSON.stringify([secret?.differences, secret?.normalized]);
    for (const marker of ['MARKER', 'TUFSS0VS']) assert.ok(!shown.includes(marker), shown);
  });

  it('reports an object without a name with its place', async () => {
    const comparison = await cluster.compare(
      cluster.desired('{apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: b}}}'),
    );
    const finding = comparison.findings.find(({ type }) => type === 'InvalidSpecError');
    assert.equal(finding?.diagnosis.message, 'The ConfigMap has no name');
    assert.equal(finding?.diagnosis.place?.file, 'manifests.yaml');
  });

  it('reports what the project does not permit with its place', async () => {
    const comparison = await cluster.compare(cluster.desired(config('forbidden')), {
      permit: ({ name }) => name !== 'forbidden',
    });
    assert.equal(comparison.resources.find(({ key }) => key.name === 'forbidden')?.status, 'Unknown');
    const finding = comparison.findings.find(({ type }) => type === 'InvalidSpecError');
    assert.equal(finding?.diagnosis.place?.file, 'manifests.yaml');
  });
});
