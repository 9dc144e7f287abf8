import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Application } from '@tiphys/api';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { freePort } from '../../../scripts/testing/free-ports.ts';
import { configMap } from '../support/manifests.ts';
import { TestRepository } from '../support/repository.ts';
import { applicationOf, manifestsOf, type Release } from './self-management-installation.ts';

const namespace = 'argocd';
/** Pods of processes have the ports of this machine. */
const port = await freePort();
const controller = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name: 'argocd-application-controller' };
const self = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name: 'tiphys' };

interface State {
  readonly phase: string;
  readonly to: string;
  readonly findings: readonly { readonly code: string; readonly message: string }[];
  readonly settled?: boolean;
  readonly report?: object;
}

describe('Tiphys delivers itself', () => {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let client: Client;
  const first: Release = { name: 'one', port };
  const installation = new TestRepository({ 'tiphys/all.yaml': manifestsOf(first, namespace) });
  const shop = new TestRepository({ 'a.yaml': configMap('shop', 'zero') });

  async function eventually<T>(ask: () => Promise<T>, holds: (answer: T) => boolean, what: string): Promise<T> {
    const deadline = Date.now() + 300_000;
    for (;;) {
      const answer = await ask();
      if (holds(answer)) return answer;
      if (Date.now() > deadline) assert.fail(`${what} did not come: ${JSON.stringify(answer)}`);
      await pause(250);
    }
  }

  const state = async (): Promise<State | undefined> => {
    const found = await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'tiphys-self-management' });
    const text = (found?.data as { state?: string } | undefined)?.state;
    return text ? (JSON.parse(text) as State) : undefined;
  };
  const ended = (release: Release) =>
    eventually(state, (at) => at?.settled === true && at.to === `tiphys:${release.name}`, `the end of ${release.name}`);
  const imageOf = ({ spec }: KubeObject) =>
    (spec as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0]?.image;
  const refresh = (name: string) =>
    client.patch({ ...self, name }, 'merge', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });

  async function release(next: Release): Promise<State> {
    installation.commit({ 'tiphys/all.yaml': manifestsOf(next, namespace) });
    await refresh('tiphys');
    return (await ended(next)) as State;
  }

  /** Another application is delivered by anyone who delivers now. */
  async function delivers(value: string): Promise<void> {
    shop.commit({ 'a.yaml': configMap('shop', value) });
    await refresh('shop');
    await eventually(
      () => client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'shop' }),
      (live) => (live?.data as { value?: string } | undefined)?.value === value,
      `delivery of ${value}`,
    );
  }

  before(async () => {
    sandbox = await startSandbox({ runtime: 'process' });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'self-management' }, clock: systemClock });
    for (const name of [namespace, 'shop'])
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const text of manifestsOf(first, namespace).split('\n---\n'))
      await client.create(JSON.parse(text) as KubeObject);
    await eventually(
      () =>
        client
          .find({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace, name: 'default' })
          .catch(() => undefined),
      (project) => project !== undefined,
      'the control plane',
    );
    await client.create(
      applicationOf({
        name: 'tiphys',
        namespace,
        repoURL: installation.url,
        path: 'tiphys',
        destination: namespace,
        annotations: { 'tiphys.dev/proof-period': '2s', 'tiphys.dev/watch-period': '15s' },
      }),
    );
    await client.create(applicationOf({ name: 'shop', namespace, repoURL: shop.url, path: '.', destination: 'shop' }));
    await eventually(
      () => client.get<Application>(self),
      ({ status }) => status?.sync?.status === 'Synced',
      'the first sync',
    );
  });

  after(async () => {
    await client?.close();
    await sandbox?.close();
    installation.remove();
    shop.remove();
  });

  test('a good version is proved, delivered and watched, while other applications are delivered', async () => {
    const next: Release = { name: 'two', port };
    const over = release(next);
    for (let value = 1; (await state())?.settled !== true; value++) await delivers(`value ${value}`);
    const { phase, findings } = await over;
    assert.deepEqual([phase, findings], ['Delivered', []]);
    assert.equal(imageOf(await client.get(controller)), 'tiphys:two');
    await delivers('after two');
    const left = await client.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
    assert.deepEqual(left.items, []);
  });

  test('a version that crashes at its start is not delivered', async () => {
    const { phase, findings } = await release({ name: 'crash', port, before: 'exit 3' });
    assert.deepEqual([phase, findings[0]?.code], ['Refused', 'SelfCandidateCrashed']);
    assert.equal(imageOf(await client.get(controller)), 'tiphys:two');
    await delivers('after crash');
    const { metadata, status } = await client.get<Application>(self);
    assert.match(metadata.annotations?.['tiphys.dev/quarantined-revisions'] ?? '', /exit code 3/);
    assert.equal(status?.operationState?.phase, 'Error');
  });

  test('a version whose rights are wrong, or whose definitions drop what is stored, is not delivered', async () => {
    const rules = [{ apiGroups: [''], resources: ['*'], verbs: ['*'] }];
    const wrong = await release({ name: 'rights', port, rules });
    assert.equal(wrong.phase, 'Refused');
    assert.ok(wrong.findings.some(({ code }) => code === 'SelfRightsLacking'));
    const { apiVersion, kind, spec } = await client.get({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'applications.argoproj.io',
    });
    const dropping = structuredClone({ apiVersion, kind, metadata: { name: 'applications.argoproj.io' }, spec });
    const versions = (
      dropping.spec as {
        versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } } }[];
      }
    ).versions;
    delete versions[0]?.schema.openAPIV3Schema.properties.spec.properties.syncPolicy;
    const lost = await release({ name: 'definition', port, more: [dropping] });
    assert.equal(lost.phase, 'Refused');
    assert.match(lost.findings.map(({ message }) => message).join(), /spec\.syncPolicy would be dropped.*argocd\/shop/);
    await delivers('after definition');
  });

  test('a version whose image is missing is not delivered', async () => {
    const { phase, findings } = await release({ name: 'missing', port });
    assert.deepEqual([phase, findings[0]?.code], ['Refused', 'SelfImageMissing']);
    assert.match(findings[0]?.message ?? '', /ImagePull.*tiphys:missing/);
    await delivers('after missing');
  });

  test('a version that hangs while it is proved is not delivered', async () => {
    await client.patch(self, 'merge', { metadata: { annotations: { 'tiphys.dev/proof-period': '10m' } } });
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-hang-'));
    const [order, preload] = [join(folder, 'now'), join(folder, 'hang.mjs')];
    const hang = `setInterval(() => { while (isMainThread && existsSync(${JSON.stringify(order)})); }, 100).unref();`;
    const imports = `import { existsSync } from 'node:fs';\nimport { isMainThread } from 'node:worker_threads';`;
    writeFileSync(preload, `${imports}\n${hang}\n`);
    const before = `[ -z "$TIPHYS_SELF_MANAGEMENT" ] || export NODE_OPTIONS="--import=${preload}"`;
    const over = release({ name: 'hang', port, before });
    await eventually(state, (at) => at?.to === 'tiphys:hang' && at.report !== undefined, 'a report');
    writeFileSync(order, '');
    const { phase, findings } = await over;
    rmSync(folder, { recursive: true });
    assert.deepEqual([phase, findings[0]?.code], ['Refused', 'SelfCandidateHangs']);
    await client.patch(self, 'merge', { metadata: { annotations: { 'tiphys.dev/proof-period': '2s' } } });
    await delivers('after hang');
  });

  test('a version that crashes while it is watched is taken back by the one before', async () => {
    const before = imageOf(await client.get(controller));
    await client.patch(self, 'merge', { metadata: { annotations: { 'tiphys.dev/watch-period': '10m' } } });
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-crash-'));
    const [order, preload] = [join(folder, 'now'), join(folder, 'crash.mjs')];
    const crash = `setInterval(() => existsSync(${JSON.stringify(order)}) && process.exit(7), 100).unref();`;
    writeFileSync(preload, `import { existsSync } from 'node:fs';\n${crash}\n`);
    const later = `[ -n "$TIPHYS_SELF_MANAGEMENT" ] || export NODE_OPTIONS="--import=${preload}"`;
    const over = release({ name: 'later', port, before: later });
    await eventually(state, (at) => at?.to === 'tiphys:later' && at.phase === 'Watching', 'the time of watching');
    await delivers('by later');
    writeFileSync(order, '');
    const { phase, findings } = await over;
    rmSync(folder, { recursive: true });
    assert.equal(phase, 'TakenBack');
    // which of the consequences is seen first: on a busy machine the refresh that nobody answered
    assert.match(findings[0]?.code ?? '', /^Self(ProcessUnhealthy|LeaseAbandoned|ReconcileLag)$/);
    assert.equal(imageOf(await client.get(controller)), before);
    await delivers('after later');
    const { status } = await client.get<Application>(self);
    assert.match(JSON.stringify(status?.conditions), /quarantine/);
  });
});
