import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatKubeconfig, type KubeObject } from '@tiphys/kubernetes';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

const main = join(import.meta.dirname, '..', '..', '..', 'packages', 'serve', 'cli', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'tiphys-takeover-command-'));
let world: World;

/** Runs `tiphys takeover` on the cluster of the test. */
async function takeover(...flags: string[]): Promise<{ code: number | null; text: string }> {
  const args = ['takeover', '-n', world.namespace, '--kubeconfig', join(folder, 'kubeconfig')];
  const child = spawn(process.execPath, [main, ...args, '--local-repositories', tmpdir(), ...flags], {
    cwd: folder,
    env: { ...process.env, XDG_CONFIG_HOME: folder, NO_COLOR: '1', TIPHYS_OUTBOUND: 'loopback,private' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, text };
}

const labels = (component: string) => ({
  'app.kubernetes.io/part-of': 'argocd',
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/name': `argocd-${component}`,
});

function workload(kind: string, name: string, component: string, replicas: number): KubeObject {
  const pods = { 'app.kubernetes.io/name': name };
  const containers = [{ name: 'main', image: 'quay.io/argoproj/argocd:v3.5.1', args: [`/usr/local/bin/${name}`] }];
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: world.namespace, labels: labels(component) },
    spec: {
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      replicas,
      selector: { matchLabels: pods },
      template: { metadata: { labels: pods }, spec: { containers } },
    },
  };
}
const stateful = () => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  namespace: world.namespace,
  name: 'argocd-application-controller',
});
const replicasOf = async (kind: string, name: string) =>
  (
    (await world.client.get({ apiVersion: 'apps/v1', kind, namespace: world.namespace, name })).spec as {
      replicas: number;
    }
  ).replicas;

before(async () => {
  world = await World.start({ alone: true });
  writeFileSync(join(folder, 'kubeconfig'), formatKubeconfig(world.cluster.config));
  const target = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('taken', 'one') });
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: world.namespace },
    spec: {
      project: 'default',
      source: { repoURL: repository.url, path: '.', targetRevision: 'HEAD' },
      destination: { server: 'https://kubernetes.default.svc', namespace: target },
      syncPolicy: { automated: {} },
    },
  });
  const shop = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: world.namespace, name: 'shop' };
  const deadline = Date.now() + 180_000;
  for (;;) {
    const { status } = await world.client.get(shop);
    const { sync, operationState } = (status ?? {}) as {
      sync?: { status?: string };
      operationState?: { phase?: string };
    };
    if (sync?.status === 'Synced' && operationState?.phase === 'Succeeded') break;
    assert.ok(Date.now() < deadline, `shop was never synced: ${JSON.stringify(status)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await world.stop();
  await world.client.create(workload('StatefulSet', 'argocd-application-controller', 'application-controller', 2));
  await world.client.create(workload('Deployment', 'argocd-server', 'server', 1));
  await world.client.create(workload('Deployment', 'argocd-redis', 'redis', 1));
});
after(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('Argo CD is found, its applications are judged as before, and a dry run changes nothing', async () => {
  const { code, text } = await takeover('--dry-run');
  assert.match(text, /StatefulSet argocd-application-controller \(quay.io\/argoproj\/argocd:v3.5.1\): 2 → 0 replicas/);
  assert.match(text, /1 applications: 1 judged as before, 0 in another way, 0 not judged/);
  assert.match(text, /Nothing was changed/);
  assert.equal(code, 0);
  assert.equal(await replicasOf('StatefulSet', 'argocd-application-controller'), 2);
});

test('an application that Argo CD judged otherwise keeps it running', async () => {
  const shop = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: world.namespace, name: 'shop' };
  const { status } = await world.client.get(shop);
  const { resources } = status as { resources: object[] };
  await world.client.patch(shop, 'merge', {
    status: { sync: { status: 'OutOfSync' }, resources: resources.map((each) => ({ ...each, status: 'OutOfSync' })) },
  });
  const { code, text } = await takeover();
  assert.match(text, /shop: OutOfSync \(ConfigMap .*taken\) by Argo CD, Synced by Tiphys/);
  assert.match(text, /1 applications are judged in another way; Argo CD goes on/);
  assert.notEqual(code, 0);
  assert.equal(await replicasOf('StatefulSet', 'argocd-application-controller'), 2);
  await world.client.patch(shop, 'merge', { status });
});

test('it is taken over, and comes back as it was although Tiphys took the places of its objects', async () => {
  const { code, text } = await takeover();
  assert.equal(code, 0, text);
  assert.equal(await replicasOf('StatefulSet', 'argocd-application-controller'), 0);
  assert.equal(await replicasOf('Deployment', 'argocd-server'), 0);
  assert.equal(await replicasOf('Deployment', 'argocd-redis'), 1);
  await world.client.patch(stateful(), 'strategic', {
    spec: {
      replicas: 1,
      template: { spec: { containers: [{ name: 'main', image: 'tiphys:1', args: ['up', '--role=controller'] }] } },
    },
  });
  const again = await takeover('--dry-run');
  assert.doesNotMatch(again.text, /StatefulSet argocd-application-controller/);
  const back = await takeover('--undo');
  assert.equal(back.code, 0, back.text);
  const { spec } = await world.client.get(stateful());
  const { replicas, template } = spec as { replicas: number; template: { spec: { containers: { image: string }[] } } };
  assert.deepEqual([replicas, template.spec.containers[0]?.image], [2, 'quay.io/argoproj/argocd:v3.5.1']);
  assert.equal(await replicasOf('Deployment', 'argocd-server'), 1);
  const twice = await takeover('--undo');
  assert.match(twice.text, /Nothing was taken over in namespace/);
});
