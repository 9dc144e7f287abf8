import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-signing-key-'));
const key = join(folder, 'key');
let world: World;
before(async () => {
  world = await World.start();
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what a project does not trust is compared and told, and synced once it is signed by a permitted key', async () => {
  execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', key]);
  const id = execFileSync('ssh-keygen', ['-l', '-f', `${key}.pub`], { encoding: 'utf8' }).split(' ')[1] ?? '';
  const { client, namespace: control } = world;
  await client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'tiphys-ssh-signing-keys',
      namespace: control,
      labels: { 'app.kubernetes.io/part-of': 'argocd' },
    },
    data: { people: readFileSync(`${key}.pub`, 'utf8') },
  });
  const policy = (keys: string[]) => ({
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace: '*' }],
    sourceIntegrity: { git: { policies: [{ repos: [{ url: '*' }], gpg: { mode: 'head', keys } }] } },
  });
  const project = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace: control, name: 'signed' };
  await client.create({ ...project, metadata: { name: 'signed', namespace: control }, spec: policy([]) });
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('signed', 'one') });
  await world.createApplication('signed', repository, {
    project: 'signed',
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  const told = (words: RegExp) =>
    world.waitForApplication('signed', String(words), ({ status }) =>
      Boolean(status?.conditions?.some(({ type, message = '' }) => type === 'ComparisonError' && words.test(message))),
    );
  const { status } = await told(/Failed verifying revision [0-9a-f]{40} by 'Test <test@example.com>': unsigned/);
  assert.equal(status?.sync?.status, 'OutOfSync');
  assert.equal(status?.operationState, undefined);
  const synced = await world.rest('POST', '/api/v1/applications/signed/sync', { name: 'signed' });
  assert.equal(synced.status, 200, JSON.stringify(synced.body));
  await world.waitForApplication('signed', 'the refusal', (app) => app.status?.operationState?.phase === 'Error');

  const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`];
  repository.git(...sign, 'commit', '--quiet', '--allow-empty', '-S', '-m', 'Signed');
  await told(/signed with unallowed key \(key_id=SHA256:/);
  await client.patch(project, 'merge', { spec: policy([id]) });
  const done = await world.healthy('signed');
  assert.equal(done.status?.conditions, undefined);

  // the history tells of each commit what is known of its signature
  const signatureOf = async (revision: string) => {
    const { body } = await world.rest('GET', `/api/v1/applications/signed/revisions/${revision}/metadata`);
    const { signatureInfo, sourceIntegrityResult } = body as {
      signatureInfo?: string;
      sourceIntegrityResult?: { Checks: { Name: string; Problems: string[] | null }[] };
    };
    return { signatureInfo, checks: sourceIntegrityResult?.Checks };
  };
  assert.deepEqual(await signatureOf(repository.git('rev-parse', 'HEAD')), {
    signatureInfo: `Good signature from SSH key ${id}`,
    checks: [{ Name: 'GIT/GPG', Problems: null }],
  });
  const unsigned = await signatureOf(repository.git('rev-parse', 'HEAD~1'));
  assert.equal(unsigned.signatureInfo, 'Revision is not signed.');
  assert.match(unsigned.checks?.[0]?.Problems?.[0] ?? '', /^Failed verifying revision [0-9a-f]{40} by .*: unsigned/);

  // generators believe the same keys
  const set = (name: string, project: string) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name, namespace: control },
    spec: {
      goTemplate: true,
      generators: [{ git: { repoURL: repository.url, revision: 'HEAD', files: [{ path: 'a.yaml' }] } }],
      template: {
        metadata: { name: `of-${name}` },
        spec: {
          project,
          source: { repoURL: repository.url, path: '.', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace },
        },
      },
    },
  });
  await client.create(set('believed', 'signed'));
  await world.waitForApplication('of-believed', 'made', () => true);
});
