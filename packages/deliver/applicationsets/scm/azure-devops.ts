import { isRecord } from '../params/params.ts';
import type { HostedRepository, PullRequestHost, RepositoryHost } from './host.ts';
import { type ApiAccess, HostApi, type JsonAnswer } from './host-api.ts';
import { repositoryNotFound } from './not-found.ts';

/** The API of an organization, at dev.azure.com or at the address of a server. */
export function azureBase(api: string | undefined, organization: string): string {
  return `${(api || 'https://dev.azure.com').replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(organization)}`;
}

/** A personal access token as the host wants to see it; nothing for anonymous access. */
export function azureHeaders(token: string): Record<string, string> {
  return token === '' ? {} : { authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` };
}

const version = 'api-version=7.1';
const pageSize = 100;
const heads = 'refs/heads/';

interface Repo {
  readonly id?: string;
  readonly name?: string;
  readonly defaultBranch?: string;
  readonly remoteUrl?: string;
}

interface BranchStats {
  readonly name?: string;
  readonly commit?: { readonly commitId?: string };
}

export interface AzureOptions {
  readonly access: ApiAccess;
  readonly organization: string;
  readonly teamProject: string;
  readonly allBranches: boolean;
}

function valuesOf<T>(api: HostApi, { json }: JsonAnswer, path: string): T[] {
  return api.list<T>(isRecord(json) ? json.value : json, path);
}

/** The kind of error that the host names, such as `GitItemNotFoundException`. */
function typeKeyOf({ json }: JsonAnswer): string {
  return isRecord(json) ? String(json.typeKey ?? '') : '';
}

export function azureRepositories({ access, organization, teamProject, allBranches }: AzureOptions): RepositoryHost {
  const api = new HostApi(access);
  const base = `/${encodeURIComponent(teamProject)}/_apis/git/repositories`;
  return {
    async repositories() {
      const path = `${base}?${version}`;
      const repos = valuesOf<Repo>(api, await api.ask(path), path);
      return repos.flatMap(({ id, name, defaultBranch, remoteUrl }) =>
        id && name && defaultBranch && remoteUrl
          ? [{ organization, repository: name, id, url: remoteUrl, branch: defaultBranch, sha: '', labels: [] }]
          : [],
      );
    },

    async branches(repository) {
      const stats = `${base}/${encodeURIComponent(repository.repository)}/stats/branches`;
      const at = ({ name, commit }: BranchStats): HostedRepository => ({
        ...repository,
        branch: name ?? '',
        sha: commit?.commitId ?? '',
        labels: [],
      });
      const wanted = repository.branch.startsWith(heads) ? repository.branch.slice(heads.length) : repository.branch;
      const path = allBranches ? `${stats}?${version}` : `${stats}?name=${encodeURIComponent(wanted)}&${version}`;
      const answer = await api.ask(path, { accept: [404] });
      if (answer.status === 404) {
        // an empty repository, or one that was just deleted
        if (typeKeyOf(answer) === 'GitRepositoryNotFoundException') return [];
        await api.ask(path);
      }
      return allBranches ? valuesOf<BranchStats>(api, answer, path).map(at) : [at((answer.json ?? {}) as BranchStats)];
    },

    async hasPath(repository, path) {
      const query = new URLSearchParams({ path, 'versionDescriptor.version': repository.branch });
      const where = `${base}/${encodeURIComponent(String(repository.id))}/items?${query}&${version}`;
      const answer = await api.ask(where, { accept: [404] });
      if (answer.status === 404 && typeKeyOf(answer) !== 'GitItemNotFoundException') await api.ask(where);
      return answer.status !== 404;
    },
  };
}

interface Pull {
  readonly pullRequestId?: number;
  readonly title?: string;
  readonly repository?: { readonly name?: string };
  readonly sourceRefName?: string;
  readonly targetRefName?: string;
  readonly lastMergeSourceCommit?: { readonly commitId?: string };
  readonly createdBy?: { readonly uniqueName?: string };
  readonly labels?: readonly { readonly name?: string }[];
}

/** Active pull requests of one repository of a project that have all of the labels. */
export function azurePullRequests(options: {
  readonly access: ApiAccess;
  readonly project: string;
  readonly repo: string;
  readonly labels: readonly string[];
}): PullRequestHost {
  const { access, project, repo } = options;
  const api = new HostApi(access);
  return async () => {
    const pulls: Pull[] = [];
    for (let skip = 0; ; skip += pageSize) {
      const path = `/${encodeURIComponent(project)}/_apis/git/pullrequests?$top=${pageSize}&$skip=${skip}&${version}`;
      const answer = await api.ask(path, { accept: [404] });
      if (answer.status === 404) throw repositoryNotFound(`${project}/${repo}`, access.base);
      const page = valuesOf<Pull>(api, answer, path);
      pulls.push(...page);
      if (page.length < pageSize) break;
    }
    return pulls.flatMap((pull) => {
      const labels = (pull.labels ?? []).flatMap(({ name }) => (name ? [name] : []));
      const { pullRequestId, sourceRefName, targetRefName, lastMergeSourceCommit } = pull;
      if (pull.repository?.name !== repo || !options.labels.every((label) => labels.includes(label))) return [];
      if (!pullRequestId || !sourceRefName || !targetRefName || !lastMergeSourceCommit?.commitId) return [];
      return [
        {
          number: pullRequestId,
          title: pull.title ?? '',
          branch: sourceRefName.replace(heads, ''),
          targetBranch: targetRefName.replace(heads, ''),
          headSha: lastMergeSourceCommit.commitId,
          labels,
          author: (pull.createdBy?.uniqueName ?? '').split('@')[0] ?? '',
        },
      ];
    });
  };
}
