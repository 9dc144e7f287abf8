import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { systemClock } from '@tiphys/kubernetes';
import { randomNumbers } from '../../../scripts/testing/random-numbers.ts';
import { Installation } from '../support/installation.ts';
import { configMap } from '../support/manifests.ts';
import { TestRepository } from '../support/repository.ts';
import { settled, verify } from './crash-invariants.ts';

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
    const ended = await settled(client, { namespace, commit, applications });
    for (const application of ended) await verify(client, application, kills);
    await client.close();
    await instance.kill();
  } finally {
    repository.remove();
  }
});
