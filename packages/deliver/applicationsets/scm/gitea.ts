import { failure } from '@tiphys/diagnosis';
import { scmRefused } from '../diagnoses/diagnoses.ts';
import { cloneUrl } from './clone-url.ts';
import type { PullRequestHost, RepositoryHost } from './host.ts';
import { type ApiAccess, HostApi } from './host-api.ts';
import { repositoryNotFound } from './not-found.ts';

/** The API of a Gitea server, whose address is that of its page. */
export function giteaBase(api: string): string {
  const base = api.replace(/(?<!\/)\/+$/, '');
  return base.endsWith('/api/v1') ? base : `${base}/api/v1`;
}

interface Repo {
  readonly id: number;
  readonly name: string;
  readonly default_branch?: string;
  readonly ssh_url?: string;
  readonly html_url?: string;
  readonly archived?: boolean;
}

interface Branch {
  readonly name: string;
  readonly commit?: { readonly id?: string };
}

export interface GiteaOptions {
  readonly access: ApiAccess;
  readonly owner: string;
  readonly allBranches: boolean;
  readonly excludeArchived: boolean;
  readonly cloneProtocol?: string | undefined;
}

export function giteaRepositories(options: GiteaOptions): RepositoryHost {
  const api = new HostApi(options.access);
  const repoPath = (repository: string) =>
    `/repos/${encodeURIComponent(options.owner)}/${encodeURIComponent(repository)}`;
  return {
    async repositories() {
      const repos = await api.linked<Repo>(`/orgs/${encodeURIComponent(options.owner)}/repos?limit=50`);
      const kept = repos.filter(({ archived }) => !(options.excludeArchived && archived));
      return Promise.all(
        kept.map(async (repo) => ({
          organization: options.owner,
          repository: repo.name,
          id: repo.id,
          url: cloneUrl(options.cloneProtocol, 'Gitea', { ssh: repo.ssh_url, https: repo.html_url }),
          branch: repo.default_branch ?? '',
          sha: '',
          labels: (await api.linked<{ name: string }>(`${repoPath(repo.name)}/labels?limit=50`)).map(
            ({ name }) => name,
          ),
        })),
      );
    },

    async branches(repository) {
      const at = ({ name, commit }: Branch) => ({ ...repository, branch: name, sha: commit?.id ?? '' });
      const base = `${repoPath(repository.repository)}/branches`;
      if (options.allBranches) return (await api.linked<Branch>(`${base}?limit=50`)).map(at);
      const { status, json } = await api.ask(`${base}/${encodeURIComponent(repository.branch)}`, { accept: [404] });
      if (status !== 404) return [at(json as Branch)];
      throw failure(scmRefused, {
        message: `got 404 while getting default branch "${repository.branch}" for repo "${repository.repository}" - check your repo config`,
        place: { remote: options.access.base },
        remedies: ['Push the default branch, or set another one in the repository'],
      });
    },

    async hasPath(repository, path) {
      const file = path.split('/').map(encodeURIComponent).join('/');
      const ref = encodeURIComponent(repository.branch);
      const { status } = await api.ask(`${repoPath(repository.repository)}/contents/${file}?ref=${ref}`, {
        accept: [404],
      });
      return status !== 404;
    },
  };
}

interface Pull {
  readonly number: number;
  readonly title: string;
  readonly head: { readonly ref: string; readonly sha: string };
  readonly base: { readonly ref: string };
  readonly user?: { readonly login?: string };
  readonly labels?: readonly { readonly name: string }[];
}

/** Open pull requests that have all of the labels. */
export function giteaPullRequests(options: {
  readonly access: ApiAccess;
  readonly owner: string;
  readonly repo: string;
  readonly labels: readonly string[];
}): PullRequestHost {
  const { access, owner, repo } = options;
  const api = new HostApi(access);
  return async () => {
    const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/pulls?state=open`;
    const pulls = await api.linked<Pull>(`${path}&limit=50`, () => repositoryNotFound(`${owner}/${repo}`, access.base));
    return pulls
      .map(({ number, title, head, base, user, labels }) => ({
        number,
        title,
        branch: head.ref,
        targetBranch: base.ref,
        headSha: head.sha,
        labels: (labels ?? []).map(({ name }) => name),
        author: user?.login ?? '',
      }))
      .filter(({ labels }) => options.labels.every((label) => labels.includes(label)));
  };
}
