import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { World } from '../support/world.ts';
import { assertRecognised, assertUnchanged, createLive } from './taken-over.ts';

/** Applications and live objects as Argo CD 3.5.1 left them with tracking by annotation and label, one of them made by a plugin. */
const recorded = readFileSync(join(import.meta.dirname, 'testdata', 'argocd-annotation-label.json'), 'utf8');

const plugin = `apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: greeting}
spec:
  generate: {command: [sh, -c, 'sed "s/WHO/$ARGOCD_ENV_WHO/" greeting.tmpl']}
`;

const files = {
  'both/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: both}
data: {value: "one"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: foreign-label, labels: {app.kubernetes.io/instance: of-the-chart}}
data: {value: "one"}
---
apiVersion: v1
kind: Service
metadata: {name: both}
spec: {selector: {app: both}, ports: [{port: 80}]}
`,
  'plugin/greeting.tmpl':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: greeting}\ndata: {greeting: "hello WHO"}\n',
};

let world: World;
let plugins: string;
before(async () => {
  plugins = mkdtempSync(join(tmpdir(), 'tiphys-plugins-'));
  writeFileSync(join(plugins, 'plugin.yaml'), plugin);
  world = await World.start({ plugins, alone: true });
});
after(async () => {
  await world.close();
  rmSync(plugins, { recursive: true, force: true });
});

test('an installation that tracks by annotation and label, with a plugin, is taken over without a write', async () => {
  const repository = world.repository(files);
  await world.stop();
  const method = { 'application.resourceTrackingMethod': 'annotation+label' };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' };
  await world.client.patch(settings, 'merge', { data: method });
  const commit = repository.commit({ note: 'nothing that is rendered' });
  const target = await world.targetNamespace();
  const { applications, live } = JSON.parse(
    recorded
      .replaceAll('$REPOSITORY', repository.url)
      .replaceAll('$TARGET', target)
      .replaceAll('$CONTROL', world.namespace),
  ) as { applications: Application[]; live: KubeObject[] };
  const created = await createLive(world, live);
  for (const application of applications) await world.client.create(application);
  await world.restart();

  assert.deepEqual(
    applications.map(({ metadata, status }) => [metadata.name, status?.sync?.status]),
    [
      ['both', 'Synced'],
      ['plugin', 'Synced'],
    ],
  );
  for (const application of applications)
    await assertRecognised(world, application, { repository: repository.url, commit });
  for (const was of created) await assertUnchanged(world, was);
  // what they hold goes with them
  for (const { metadata } of applications) await world.client.delete(world.applicationRef(metadata.name ?? ''));
  for (const { apiVersion, kind, metadata } of created)
    await world.waitFor(
      { apiVersion, kind, namespace: target, name: metadata.name ?? '' },
      `${kind} ${metadata.name} gone`,
      (object) => object === undefined,
    );
});
