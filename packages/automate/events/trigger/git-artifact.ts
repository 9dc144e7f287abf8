import { join } from 'node:path';
import { type Credentials, GitRepositories } from '@tiphys/git';
import type { GitArtifact } from '../spec/sensor.ts';
import type { TriggerContext } from './trigger.ts';

/** The text of a file of a repository, read without a work tree; `cloneDirectory` is not needed for that. */
export async function readGitFile(artifact: GitArtifact, context: TriggerContext): Promise<string> {
  const { connections, scratch, clock } = context;
  const git = await connections.get(
    'git',
    async () => new GitRepositories({ cacheDir: join(scratch, 'events-git'), clock }),
    (open) => open.close(),
  );
  const url = artifact.remote?.urls?.[0] ?? artifact.url;
  const repository = { url, credentials: await credentialsOf(artifact, context) };
  const revision = artifact.ref || artifact.tag || artifact.branch || 'HEAD';
  const { commit } = await git.resolve(repository, revision);
  const tree = await git.open(repository, commit);
  return Buffer.from(await tree.read(artifact.filePath)).toString('utf8');
}

async function credentialsOf(artifact: GitArtifact, { keys }: TriggerContext): Promise<Credentials> {
  const { creds, sshKeySecret, insecureIgnoreHostKey, githubApp } = artifact;
  return {
    ...(creds?.username ? { username: await keys.secret(creds.username) } : {}),
    ...(creds?.password ? { password: await keys.secret(creds.password) } : {}),
    ...(sshKeySecret ? { sshPrivateKey: await keys.secret(sshKeySecret) } : {}),
    ...(insecureIgnoreHostKey ? { insecure: true } : {}),
    ...(githubApp?.privateKey
      ? {
          githubApp: {
            privateKey: await keys.secret(githubApp.privateKey),
            id: githubApp.appID ?? 0,
            ...(githubApp.installationID ? { installationId: githubApp.installationID } : {}),
          },
        }
      : {}),
  };
}
