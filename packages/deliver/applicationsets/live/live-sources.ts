import { type SharedState, trustedKeys } from '@tiphys/applications';
import { failure } from '@tiphys/diagnosis';
import { GitHubAppTokens, type GitRepositories, httpRequest, parseRepositoryUrl, readCredentials } from '@tiphys/git';
import { type Client, type Clock, type KubeObject, selectorQuery } from '@tiphys/kubernetes';
import { generatorFailed } from '../diagnoses/diagnoses.ts';
import type { DecisionRequest, GeneratorSources, GitHubAppRequest } from '../generators/sources.ts';
import type { ApplicationSetSettings } from '../settings/settings.ts';
import { GitReader } from './git-reader.ts';

export interface LiveSourcesOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly git: GitRepositories;
  readonly shared: SharedState;
  readonly settings: () => ApplicationSetSettings;
  /** As ARGOCD_GPG_ENABLED: whether signatures that projects require are verified. */
  readonly gpgEnabled: boolean;
}

const tokenTimeout = 15_000;

/** What generators read, of the caches of the Applications and, for what those do not hold, of the cluster itself. */
export function liveSources({
  client,
  namespace,
  clock,
  git,
  shared,
  settings,
  gpgEnabled,
}: LiveSourcesOptions): GeneratorSources {
  const reader = client.as({ component: 'controller', purpose: 'generators' });
  const apps = new Map<string, GitHubAppTokens>();
  return {
    clock,
    controlNamespace: namespace,
    clusterSecrets: () => shared.clusterSecrets.list(),
    projectExists: (name) => shared.projects.get(namespace, name) !== undefined,
    git: new GitReader(git, shared.access, {
      enabled: gpgEnabled,
      project: (name) => (name === '' ? undefined : shared.projects.get(namespace, name)),
      keys: () => trustedKeys(shared.configMaps, namespace),
    }),
    secret: (own, name) => reader.find({ apiVersion: 'v1', kind: 'Secret', namespace: own, name }),
    configMap: (own, name) => reader.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: own, name }),
    decisions: (request) => listDecisions(reader, namespace, request),
    repositoryCredentials: (name) => {
      const secret = shared.templateSecrets.get(namespace, name);
      return secret && plainData(secret);
    },
    http: (request) => httpRequest({ ...request, clock }),
    githubAppToken: (request) => githubAppToken(request, apps, clock),
    settings,
  };
}

async function listDecisions(
  client: Client,
  namespace: string,
  { group, version, plural, name, labelSelector }: DecisionRequest,
): Promise<readonly KubeObject[]> {
  const path = `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(plural)}`;
  const query = new URLSearchParams(
    name ? { fieldSelector: `metadata.name=${name}` } : { labelSelector: selectorQuery(labelSelector ?? {}) },
  );
  const answer = await client.request('GET', `${path}?${query}`);
  if (answer.status >= 400)
    throw failure(generatorFailed, {
      message: `failed to get dynamic resources: the API server answered ${answer.status} for ${plural}.${group}/${version}`,
      place: { object: `${plural}.${group}` },
      remedies: ['Install the resource definition, or correct apiVersion and kind in the ConfigMap of the generator'],
    });
  const list = (await answer.json()) as { kind?: string; items?: KubeObject[] };
  const kind = (list.kind ?? '').replace(/List$/, '') || plural;
  return (list.items ?? []).map((item) => ({ ...item, kind: item.kind ?? kind }));
}

function plainData({ data }: KubeObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries((data ?? {}) as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  );
}

/** Tokens are kept as long as they hold; the clock of the host is made good, as for repositories. */
async function githubAppToken(
  { settings, owner, repository, signal }: GitHubAppRequest,
  apps: Map<string, GitHubAppTokens>,
  clock: Clock,
): Promise<string> {
  const { githubAppID, githubAppInstallationID, githubAppPrivateKey, githubAppEnterpriseBaseUrl } = settings;
  const id = JSON.stringify([
    githubAppID,
    githubAppInstallationID,
    githubAppPrivateKey,
    githubAppEnterpriseBaseUrl,
    owner,
  ]);
  let tokens = apps.get(id);
  if (!tokens) {
    const credentials = readCredentials({ ...settings, type: 'git' }, {});
    const host = githubAppEnterpriseBaseUrl ? new URL(githubAppEnterpriseBaseUrl).origin : 'https://github.com';
    const remote = parseRepositoryUrl(`${host}/${owner}/${repository ?? ''}`);
    const app = credentials.githubApp;
    if (!app) throw new Error('a Secret without a GitHub App was taken for one');
    tokens = new GitHubAppTokens({ app, remote, credentials, clock, timeout: tokenTimeout });
    apps.set(id, tokens);
  }
  return (await tokens.credentials(signal)).password;
}
