import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import { parseRepositoryUrl } from '@tiphys/git';
import type { AskPass } from '@tiphys/plugin';
import { pluginCredentialsRefused } from '../request/diagnoses.ts';
import type { RenderRequest } from '../request/rendered.ts';

/** Variables with which git reaches the repository, as long as they are lent. */
export interface LentCredentials {
  readonly environment: Readonly<Record<string, string>>;
  giveBack(): Promise<void>;
}

/**
 * The repository's credentials for a plugin with `provideGitCreds`, as Argo CD gives them: logins through the credential helper,
 * keys and certificates as files of the folder for temporary files, which sidecars share.
 */
export async function lendCredentials(
  { url, credentials = {} }: RenderRequest['repository'],
  askPass: AskPass,
): Promise<LentCredentials> {
  const environment: Record<string, string> = {};
  const files: string[] = [];
  let take = () => {};
  const file = async (content: string): Promise<string> => {
    const path = join(tmpdir(), randomUUID());
    files.push(path);
    await writeFile(path, content.endsWith('\n') ? content : `${content}\n`, { mode: 0o600 });
    return path;
  };
  const { username, password, bearerToken, sshPrivateKey, tlsClientCertData, tlsClientCertKey, insecure } = credentials;
  if (credentials.githubApp) throw refused('a GitHub App', 'a user name and a password');
  const { transport } = parseRepositoryUrl(url);
  if (transport === 'ssh' && sshPrivateKey) {
    if (credentials.proxy) throw refused('a proxy for SSH', 'an https:// URL');
    const known = insecure || !credentials.knownHosts ? '/dev/null' : await file(credentials.knownHosts);
    const words = ['ssh', '-i', await file(sshPrivateKey.replaceAll('\r\n', '\n'))];
    words.push('-o', `StrictHostKeyChecking=${insecure ? 'no' : 'yes'}`, '-o', `UserKnownHostsFile=${known}`);
    environment.GIT_SSH_COMMAND = words.join(' ');
  } else if (transport !== 'ssh') {
    if (insecure) environment.GIT_SSL_NO_VERIFY = 'true';
    if (credentials.ca) environment.GIT_SSL_CAINFO = await file(credentials.ca);
    if (tlsClientCertData && tlsClientCertKey) {
      environment.GIT_SSL_CERT = await file(tlsClientCertData);
      environment.GIT_SSL_KEY = await file(tlsClientCertKey);
    }
    if (password && credentials.forceHttpBasicAuth) {
      const login = Buffer.from(`${username ?? ''}:${password}`).toString('base64');
      environment.ARGOCD_GIT_AUTH_HEADER = `Authorization: Basic ${login}`;
    } else if (bearerToken) environment.ARGOCD_GIT_BEARER_AUTH_HEADER = `Authorization: Bearer ${bearerToken}`;
    if (username || password || bearerToken) {
      const lent = await askPass.lend({ username: username || 'x-access-token', password: password ?? '' });
      Object.assign(environment, lent.environment);
      take = lent.take;
    }
  }
  return {
    environment,
    giveBack: async () => {
      take();
      await Promise.all(files.map((path) => rm(path, { force: true })));
    },
  };
}

function refused(what: string, instead: string) {
  return failure(pluginCredentialsRefused, {
    message: `A plugin with provideGitCreds cannot be given the credentials of the repository: ${what} is not supported for plugins`,
    place: { field: 'spec.source.repoURL' },
    remedies: [`Register the repository with ${instead}`, 'Or set provideGitCreds to false in plugin.yaml'],
  });
}
