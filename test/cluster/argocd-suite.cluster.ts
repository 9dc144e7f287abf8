import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { GitServer, long, RealCluster } from './real-cluster.ts';
import { until } from './until.ts';

/** Folder with `argocd` and `argocd-e2e.test`, Argo CD's compiled suite, and the source tree that the suite reads its files from. */
const { TIPHYS_ARGOCD_SUITE: programs = '', TIPHYS_ARGOCD_SOURCE: source = '' } = process.env;
const skip =
  long || (programs && source ? false : 'TIPHYS_ARGOCD_SUITE and TIPHYS_ARGOCD_SOURCE name no suite of Argo CD');

/** A part of each area, of what needs neither images that are not to be had here nor a second way to the repository. */
const slice: readonly string[] = [
  'TestAppCreation',
  'TestDeleteAppResource',
  'TestAppRollbackSuccessful',
  'TestCannotSetInvalidPath',
  'TestManipulateApplicationResources',
  'TestSyncResourceByLabel',
  'TestAutoSyncSelfHealEnabled',
  'TestKnownTypesInCRDDiffing',
  'TestPreSyncHookSuccessful',
  'TestPostSyncHookSuccessful',
  'TestHookDeletePolicyHookSucceededHookExit0',
  'TestKustomize2AppSource',
  'TestHelmHooksAreCreated',
  'TestHelmSet',
  'TestProjectCreation',
  'TestAddProjectSource',
  'TestSimpleListGenerator',
  'TestSelectiveSync',
  'TestOrphanedResource',
  'TestNamespaceAutoCreation',
  'TestSyncAsync',
  'TestFailedSyncWithRetry',
];

/**
 * A slice of Argo CD's own suite against deploy/base on real pods, through the Service argocd-server. The suite is told that the
 * installation is remote, as for upstream's own clusters: it pushes its repository to a server that the pods can reach.
 */
describe("Argo CD's suite against the installed server", { skip }, () => {
  const cluster = new RealCluster();
  const git = new GitServer();
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-suite-'));
  let client: Client;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    await cluster.up();
    await cluster.load(process.env.TIPHYS_CLUSTER_IMAGE ?? '');
    await cluster.loadWebServerAs([
      'quay.io/argoprojlabs/argocd-e2e-container:0.1',
      'quay.io/argoprojlabs/argocd-e2e-container:0.2',
    ]);
    client = cluster.client();
    await cluster.kubectl('create', 'namespace', 'argocd');
    await cluster.kubectl('apply', '--server-side', '-k', 'deploy/base');
    const ready = ({ status }: KubeObject) => (status as { readyReplicas?: number } | undefined)?.readyReplicas === 1;
    const apps = { apiVersion: 'apps/v1', namespace: 'argocd' };
    await until(client, { ...apps, kind: 'StatefulSet', name: 'argocd-application-controller' }, ready);
    await until(client, { ...apps, kind: 'Deployment', name: 'argocd-server' }, ready);
    const repository = await git.open('testdata.git');
    git.serve();
    const core = { apiVersion: 'v1', namespace: 'argocd' };
    const service = await client.get({ ...core, kind: 'Service', name: 'argocd-server' });
    const secret = await client.get({ ...core, kind: 'Secret', name: 'argocd-initial-admin-secret' });
    env = {
      PATH: [helpers(folder), programs, process.env.PATH].join(delimiter),
      HOME: folder,
      KUBECONFIG: cluster.kubeconfig,
      ARGOCD_CONFIG_DIR: folder,
      ARGOCD_SERVER: `${(service.spec as { clusterIP: string }).clusterIP}:80`,
      ARGOCD_E2E_REMOTE: 'true',
      ARGOCD_E2E_DIR: join(folder, 'work'),
      ARGOCD_E2E_NAMESPACE: 'argocd',
      ARGOCD_E2E_ADMIN_PASSWORD: Buffer.from((secret.data as { password: string }).password, 'base64').toString(),
      ARGOCD_E2E_DEFAULT_TIMEOUT: '60',
      ARGOCD_E2E_K3S: 'true',
      ARGOCD_E2E_GIT_SERVICE: repository,
      ARGOCD_E2E_REPO_DEFAULT: repository,
      GIT_AUTHOR_NAME: 'test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
    };
    mkdirSync(join(source, 'dist'), { recursive: true });
    rmSync(join(source, 'dist/argocd'), { force: true });
    symlinkSync(join(programs, 'argocd'), join(source, 'dist/argocd'));
  });

  after(async () => {
    await client?.close();
    git.close();
    rmSync(folder, { recursive: true, force: true });
    await cluster.down();
  });

  for (const name of slice)
    test(name, async () => {
      const output = await new Promise<string>((resolve, reject) => {
        const flags = [`-test.run=^${name}$`, '-test.v', '-test.timeout=5m'];
        execFile(
          join(programs, 'argocd-e2e.test'),
          flags,
          { env, cwd: join(source, 'test/e2e'), maxBuffer: 256 << 20 },
          (error, stdout, stderr) => {
            if (error) reject(new Error(`${name} failed:\n${stdout.slice(-4000)}${stderr.slice(-4000)}`));
            else resolve(stdout);
          },
        );
      });
      assert.match(output, new RegExp(`^--- PASS: ${name} `, 'm'));
    });
});

/** Programs that the suite calls and that are not for it to touch here: a manager of local processes, and the end of other agents. */
function helpers(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['goreman', 'pkill']) {
    writeFileSync(join(bin, name), '#!/bin/sh\nexit 0\n');
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}
