import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { type Client, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { randomNumbers } from '../../scripts/freezer.ts';
import { Installation } from './installation.ts';
import { configMap } from './manifests.ts';
import { TestRepository } from './repository.ts';

/**
 * The whole process is killed at random points of its work and started again. What must hold in the end: every
 * application shows the last commit, no operation is lost or recorded twice, no hook ran twice for one operation, nothing
 * that left the repository is left in the cluster.
 */
const kills = 50;
const applications = 6;

let folder: string;
let installation: Installation;
let namespace: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tiphys-crash-'));
  installation = new Installation(folder, 'crash-control');
  ({ namespace } = installation);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const hook = `apiVersion: v1
kind: ConfigMap
metadata:
  generateName: ran-
  labels: {hook: "yes"}
  annotations: {argocd.argoproj.io/hook: PostSync, argocd.argoproj.io/hook-delete-policy: HookFailed}
data: {}
`;

test(`survives ${kills} kills at random points`, { timeout: 900_000 }, async () => {
  const random = randomNumbers(Number(process.env['CHAOS_SEED'] ?? 20_26));
  const files = (version: number) =>
    Object.fromEntries(
      Array.from({ length: applications }, (_, index) => [
        `app-${index}/all.yaml`,
        `${configMap('kept', String(version))}---\n${configMap(`only-in-${version}`, 'x')}---\n${hook}`,
      ]),
    );
  const repository = new TestRepository(files(0));
  try {
    let instance = installation.start();
    await instance.up;
    let client = installation.client();
    for (let index = 0; index < applications; index++) {
      const target = `crash-${index}`;
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: target } });
      await client.create<Application>({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { name: `app-${index}`, namespace },
        spec: {
          project: 'default',
          source: { repoURL: repository.url, path: `app-${index}`, targetRevision: 'main' },
          destination: { server: 'https://kubernetes.default.svc', namespace: target },
          syncPolicy: { automated: { prune: true, selfHeal: true } },
        },
      });
    }
    await client.close();
    let commit = '';
    for (let kill = 1; kill <= kills; kill++) {
      commit = repository.commit(files(kill), `Version ${kill}`);
      // Some kills hit the start, some the work that the commit causes.
      await Promise.race([instance.up, systemClock.sleep(random() * 1500)]);
      await systemClock.sleep(random() * 400);
      await instance.kill();
      instance = installation.start();
    }
    await instance.up;
    client = installation.client();
    const ended = await settled(client, commit);
    for (const application of ended) verify(application, await objectsOf(client, application));
    await client.close();
    await instance.kill();
  } finally {
    repository.remove();
  }
});

/** All applications, as soon as each is Synced to the commit and at rest. */
async function settled(client: Client, commit: string): Promise<Application[]> {
  const deadline = systemClock.now() + 120_000;
  for (;;) {
    const { items } = await client.list<Application>({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      namespace,
    });
    const mine = items.filter(({ metadata }) => metadata.name?.startsWith('app-'));
    const done = mine.filter(
      ({ status, operation }) =>
        !operation &&
        status?.sync?.status === 'Synced' &&
        status.sync.revision === commit &&
        status.operationState?.phase === 'Succeeded',
    );
    if (done.length === applications) return done;
    if (systemClock.now() > deadline) {
      writeFileSync(join(tmpdir(), 'tiphys-crash-state.json'), JSON.stringify(mine, undefined, 1));
      assert.fail(
        `Only ${done.length} of ${applications} converged: ${JSON.stringify(mine.map(({ metadata, operation, status }) => [metadata.name, operation, status?.sync, status?.operationState?.phase, status?.operationState?.message, status?.conditions]))}`,
      );
    }
    await systemClock.sleep(200);
  }
}

async function objectsOf(client: Client, { spec }: Application): Promise<KubeObject[]> {
  const { items } = await client.list({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: spec.destination.namespace ?? '',
  });
  return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
}

function verify({ metadata, status }: Application, objects: KubeObject[]): void {
  const name = metadata.name ?? '';
  const history = status?.history ?? [];
  const ids = history.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.map((_, index) => (ids[0] as number) + index),
    `${name}: ids of the history follow each other`,
  );
  assert.equal(
    new Set(history.map(({ revision }) => revision)).size,
    history.length,
    `${name}: no deployment is recorded twice`,
  );
  const kept = objects
    .filter((object) => object.metadata.labels?.hook !== 'yes')
    .map((object) => object.metadata.name)
    .sort();
  assert.deepEqual(kept, ['kept', `only-in-${kills}`], `${name}: nothing is orphaned`);
  const hooks = objects
    .filter((object) => object.metadata.labels?.hook === 'yes')
    .map((object) => object.metadata.name?.replace(/^ran-/, ''));
  assert.equal(new Set(hooks).size, hooks.length, `${name}: no hook ran twice for one operation`);
}
