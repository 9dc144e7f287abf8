import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { World } from './world.ts';

/** Applications and live objects that Argo CD 3.5.1 left on a kube-apiserver 1.34, reduced by hand. */
const recorded = readFileSync(join(import.meta.dirname, 'testdata', 'argocd-namespace.json'), 'utf8');

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const hook = (name: string, phase: string) =>
  configMapOf(`hook-${name}`, {
    'argocd.argoproj.io/hook': phase,
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
  });
const configMapOf = (name: string, annotations: object) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations } });
const plain = (name: string, value = 'one') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`;
const wave = (name: string, number: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, annotations: { 'argocd.argoproj.io/sync-wave': number } },
    data: { value: 'one' },
  });

/** The repository of that installation. */
const files = {
  'plain/cm.yaml': plain('plain'),
  'recurse/a/1.yaml': plain('rec1'),
  'recurse/a/b/2.yaml': plain('rec2'),
  'kustomize/cm.yaml': plain('kust'),
  'kustomize/kustomization.yaml': 'namePrefix: pre-\ncommonLabels: {team: a}\nresources: [cm.yaml]\n',
  'helm/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
  'helm/values.yaml': 'value: default\nreplicas: 1\n',
  'helm/prod.yaml': 'value: prod\n',
  'helm/templates/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-cm", labels: {app: x}}
data: {value: {{ .Values.value | quote }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {containers: [{name: main, image: nginx}]}
`,
  'values/v.yaml': 'value: of-values\n',
  'hooks/cm.yaml': plain('hooked'),
  'hooks/presync.yaml': hook('presync', 'PreSync'),
  'hooks/postsync.yaml': hook('postsync', 'PostSync'),
  'waves/0.yaml': wave('wave0', '0'),
  'waves/1.yaml': wave('wave1', '1'),
  'waves/2.yaml': wave('wave2', '2'),
  'ssa/cm.yaml': plain('ssa'),
  'replace/cm.yaml': plain('replaced'),
  'ignore/cm.yaml': plain('ignored'),
  'manual/cm.yaml': plain('manual'),
  'prune/cm.yaml': plain('pruned'),
  'secret/s.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: hidden}\nstringData: {password: hush}\n',
  'svc/s.yaml':
    'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n',
  'jsonnet/a.jsonnet': '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "jsonnet"}, data: {value: "one"}}',
};

test('an installation of Argo CD is taken over: everything is recognised, and nothing in the cluster changes', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository(files);
  const commit = repository.git('rev-parse', 'HEAD');
  const { applications, live } = JSON.parse(
    recorded
      .replaceAll('$REPOSITORY', repository.url)
      .replaceAll('$NAMESPACE', namespace)
      .replaceAll('$CONTROL', world.namespace),
  ) as { applications: Application[]; live: KubeObject[] };
  await world.stop();
  const before = new Map<string, KubeObject>();
  for (const object of live) {
    const created = await world.client.create({ ...object, metadata: { ...object.metadata, namespace } });
    before.set(`${created.kind}/${created.metadata.name}`, created);
  }
  for (const application of applications)
    await world.client.create({ ...application, metadata: { ...application.metadata, namespace: world.namespace } });
  await world.restart();

  const expected: Record<string, string> = { manual: 'OutOfSync', prune: 'OutOfSync' };
  for (const { metadata, status } of applications) {
    const name = metadata.name ?? '';
    const wanted = expected[name] ?? 'Synced';
    const now = await world.waitForApplication(name, `recognised as ${wanted}`, (app) => {
      const seen = app.status?.sync;
      return seen?.status === wanted && JSON.stringify(seen.revisions ?? seen.revision).includes(commit);
    });
    assert.equal(now.status?.history?.length, status?.history?.length, `${name} was not synced again`);
    assert.equal(now.operation, undefined, name);
  }
  for (const [id, { apiVersion, kind, metadata }] of before) {
    const ref = { apiVersion, kind, namespace, name: metadata.name ?? '' };
    const now = await world.client.get<KubeObject & { metadata: { generation?: number } }>(ref);
    const changed = JSON.stringify([now.metadata.annotations, now.metadata.labels, now.data, now.metadata.generation]);
    const was = before.get(id) as KubeObject & { metadata: { generation?: number } };
    // the controllers of Deployments write a revision and a status of their own
    const { 'deployment.kubernetes.io/revision': _revision, ...annotations } = now.metadata.annotations ?? {};
    if (kind === 'Deployment') assert.deepEqual([annotations, now.spec], [was.metadata.annotations, was.spec], id);
    else assert.equal(now.metadata.resourceVersion, was.metadata.resourceVersion, `${id} changed: ${changed}`);
  }
});
