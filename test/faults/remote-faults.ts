import { mkdtempSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  type GitServer,
  type GitServerBehaviour,
  makeCertificate,
  startGitServer,
} from '../../packages/sources/git/testing/index.ts';
import { packageChart, startHelmRepository } from '../../packages/sources/registry/testing/index.ts';
import { configMap } from '../e2e/support/manifests.ts';
import type { World } from '../e2e/support/world.ts';
import type { Fault, Stage } from './fault.ts';

/** A row whose repository is served over HTTP by a server that can be told to misbehave. */
function served(
  fault: Omit<Fault, 'inject' | 'mend' | 'spec'>,
  inject: (behaviour: GitServerBehaviour, stage: Stage) => unknown,
  mend: (behaviour: GitServerBehaviour, stage: Stage) => unknown,
): Fault {
  let server: GitServer | undefined;
  return {
    ...fault,
    spec: async ({ repository, closeLater }) => {
      const started = await startGitServer(dirname(repository.url));
      closeLater(() => started.close());
      server = started;
      const repoURL = `${started.url}/${basename(repository.url)}`;
      return { source: { repoURL, path: 'app', targetRevision: 'main' } };
    },
    inject: async (stage) => {
      await inject((server as GitServer).behaviour, stage);
      await stage.refresh();
    },
    mend: async (stage) => {
      await mend((server as GitServer).behaviour, stage);
    },
  };
}

export const remoteFaults: readonly Fault[] = [
  served(
    {
      id: 'R1',
      title: 'a password that is asked for and not known',
      twice: true,
      code: 'RepositoryCredentialRefused',
      contains: [/401/],
    },
    (behaviour) => {
      behaviour.auth = { username: 'u', password: 'MARKER-right' };
    },
    (behaviour) => {
      delete behaviour.auth;
    },
  ),
  served(
    { id: 'R6', title: 'a host that limits requests', code: 'RepositoryRateLimited', contains: [/429/, /retry-after/] },
    (behaviour) => {
      behaviour.answer = { status: 429, headers: { 'retry-after': '3' } };
    },
    (behaviour) => {
      delete behaviour.answer;
    },
  ),
  served(
    {
      id: 'R8',
      title: 'a host that answers with errors',
      twice: true,
      code: 'RepositoryUnreachable',
      contains: [/503/],
    },
    (behaviour) => {
      behaviour.answer = { status: 503 };
    },
    (behaviour) => {
      delete behaviour.answer;
    },
  ),
  {
    id: 'R2',
    title: 'a repository that is gone',
    twice: true,
    inject: async (stage) => {
      await rename(stage.repository.url, `${stage.repository.url}.away`);
      await stage.refresh();
    },
    code: 'RepositoryNotFound',
    contains: [/tiphys-repository/],
    mend: (stage) => rename(`${stage.repository.url}.away`, stage.repository.url),
  },
  {
    id: 'R9',
    title: 'a branch that is gone',
    inject: async (stage) => {
      stage.repository.git('branch', 'release-1');
      await stage.patch({ source: { targetRevision: 'relase-1' } });
    },
    code: 'RevisionNotFound',
    contains: [/release-1/],
    mend: (stage) => stage.patch({ source: { targetRevision: 'release-1' } }),
  },
  {
    id: 'R10',
    title: 'a folder that a commit has removed',
    inject: async (stage) => {
      stage.repository.git('mv', 'app', 'deploy');
      stage.commit({});
    },
    code: 'PathMissing',
    contains: [/deploy/, /commit/i],
    mend: async (stage) => {
      stage.commit({ 'app/a.yaml': configMap('a', 'one') });
    },
  },
  {
    id: 'R8',
    title: 'a proxy that is down',
    twice: true,
    spec: async ({ repository, world, name, closeLater }) => {
      const server = await startGitServer(dirname(repository.url));
      closeLater(() => server.close());
      const repoURL = `${server.url}/${basename(repository.url)}`;
      await world.client.create(repositorySecret(name, world.namespace, { url: repoURL, proxy: '' }));
      return { source: { repoURL, path: 'app', targetRevision: 'main' } };
    },
    inject: async ({ world, name, refresh }) => {
      await setProxy(world, name, 'http://127.0.0.1:1');
      await refresh();
    },
    code: 'ProxyUnreachable',
    contains: [/proxy http:\/\/127\.0\.0\.1:1/, /nothing listens/, /proxy of the repository/, /was not asked/],
    excludes: [/RepositoryUnreachable/],
    mend: ({ world, name }) => setProxy(world, name, ''),
  },
  {
    id: 'R4',
    title: 'a host whose certificate nobody knows',
    fromStart: true,
    spec: async ({ repository, world, name, closeLater }) => {
      const folder = mkdtempSync(join(tmpdir(), 'tiphys-tls-'));
      const tls = makeCertificate(folder);
      const server = await startGitServer(dirname(repository.url), { tls });
      closeLater(async () => {
        await server.close();
        rmSync(folder, { recursive: true });
      });
      const repoURL = `${server.url}/${basename(repository.url)}`;
      await world.client.create(repositorySecret(name, world.namespace, { url: repoURL }));
      return { source: { repoURL, path: 'app', targetRevision: 'main' } };
    },
    code: 'RepositoryCertificateInvalid',
    contains: [/not known here/, /argocd-tls-certs-cm/, /fingerprint/],
    mend: ({ world, name }) =>
      world.client.patch(
        { apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: `repo-${name}` },
        'merge',
        {
          stringData: { insecure: 'true' },
        },
      ),
  },
  {
    id: 'R12',
    title: 'a Helm repository that wants a password',
    fromStart: true,
    spec: async ({ name, world, closeLater }) => {
      const server = await startHelmRepository({ auth: { username: 'u', password: 'MARKER-right' } });
      closeLater(() => server.close());
      server.add('shop', '1.0.0', packageChart('shop', '1.0.0'));
      await world.client.create(
        repositorySecret(name, world.namespace, { url: server.url, type: 'helm', name: 'charts' }),
      );
      return { source: { repoURL: server.url, chart: 'shop', targetRevision: '1.0.0', path: '' } };
    },
    code: 'RegistryCredentialRefused',
    contains: [/wants credentials and none were given/],
    mend: ({ world, name }) =>
      world.client.patch(
        { apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: `repo-${name}` },
        'merge',
        {
          stringData: { username: 'u', password: 'MARKER-right' },
        },
      ),
  },
];

function repositorySecret(name: string, namespace: string, stringData: Readonly<Record<string, string>>) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `repo-${name}`, namespace, labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
    stringData: { type: 'git', ...stringData },
  };
}

const setProxy = (world: World, name: string, proxy: string) =>
  world.client.patch({ apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: `repo-${name}` }, 'merge', {
    stringData: { proxy },
  });
