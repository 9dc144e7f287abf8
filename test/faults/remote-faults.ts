import { rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type GitServer, type GitServerBehaviour, startGitServer } from '../../packages/sources/git/testing/index.ts';
import { configMap } from '../e2e/manifests.ts';
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
    spec: async ({ repository }) => {
      server = await startGitServer(dirname(repository.url));
      const repoURL = `${server.url}/${basename(repository.url)}`;
      return { source: { repoURL, path: 'app', targetRevision: 'main' } };
    },
    inject: async (stage) => {
      await inject((server as GitServer).behaviour, stage);
      await stage.refresh();
    },
    mend: async (stage) => {
      await mend((server as GitServer).behaviour, stage);
    },
    end: async () => {
      await server?.close();
    },
  };
}

export const remoteFaults: readonly Fault[] = [
  served(
    {
      id: 'R1',
      title: 'a password that is asked for and not known',
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
    { id: 'R8', title: 'a host that answers with errors', code: 'RepositoryUnreachable', contains: [/503/] },
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
];
