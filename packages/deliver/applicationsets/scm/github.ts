import { cloneUrl } from './clone-url.ts';
import type { HostedRepository, PullRequest, PullRequestHost, RepositoryHost } from './host.ts';
import { type ApiAccess, HostApi } from './host-api.ts';
import { repositoryNotFound } from './not-found.ts';

/** The API of github.com, or of an enterprise server at an address that may lack its `/api/v3`. */
export function githubBase(api: string | undefined): string {
  if (!api) return 'https://api.github.com';
  const base = api.replace(/(?<!\/)\/+$/, '');
  const host = new URL(base).host;
  const complete = base.endsWith('/api/v3') || host.startsWith('api.') || host.includes('.api.');
  return complete ? base : `${base}/api/v3`;
}

export const githubHeaders = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' } as const;

interface Repo {
  readonly id: number;
  readonly name: string;
  readonly owner?: { readonly login?: string };
  readonly default_branch?: string;
  readonly ssh_url?: string;
  readonly clone_url?: string;
  readonly archived?: boolean;
  readonly topics?: readonly string[];
}

interface Branch {
  readonly name: string;
  readonly commit?: { readonly sha?: string };
}

export interface GithubOptions {
  readonly access: ApiAccess;
  readonly organization: string;
  readonly allBranches: boolean;
  readonly excludeArchived: boolean;
  readonly cloneProtocol?: string | undefined;
}

export function githubRepositories(options: GithubOptions): RepositoryHost {
  const api = new HostApi(options.access);
  const pathOf = ({ organization, repository }: HostedRepository) =>
    `/repos/${encodeURIComponent(organization)}/${encodeURIComponent(repository)}`;
  return {
    async repositories() {
      const repos = await api.linked<Repo>(`/orgs/${encodeURIComponent(options.organization)}/repos?per_page=100`);
      return repos
        .filter(({ archived }) => !(options.excludeArchived && archived))
        .map((repo) => ({
          organization: repo.owner?.login ?? options.organization,
          repository: repo.name,
          id: repo.id,
          url: cloneUrl(options.cloneProtocol, 'GitHub', { ssh: repo.ssh_url, https: repo.clone_url }),
          branch: repo.default_branch ?? '',
          sha: '',
          labels: repo.topics ?? [],
        }));
    },

    async branches(repository) {
      const at = ({ name, commit }: Branch) => ({ ...repository, branch: name, sha: commit?.sha ?? '' });
      if (options.allBranches) return (await api.linked<Branch>(`${pathOf(repository)}/branches?per_page=100`)).map(at);
      // an empty repository has no default branch
      const path = `${pathOf(repository)}/branches/${encodeURIComponent(repository.branch)}`;
      const { status, json } = await api.ask(path, { accept: [404] });
      return status === 404 ? [] : [at(json as Branch)];
    },

    async hasPath(repository, path) {
      const file = path.split('/').map(encodeURIComponent).join('/');
      const ref = encodeURIComponent(repository.branch);
      const { status } = await api.ask(`${pathOf(repository)}/contents/${file}?ref=${ref}`, { accept: [404] });
      return status !== 404;
    },
  };
}

interface Pull {
  readonly number: number;
  readonly title?: string;
  readonly head: { readonly ref: string; readonly sha: string };
  readonly base: { readonly ref: string };
  readonly user?: { readonly login?: string } | null;
  readonly labels?: readonly { readonly name?: string }[];
}

/** Open pull requests that have all of the labels. */
export function githubPullRequests(options: {
  readonly access: ApiAccess;
  readonly owner: string;
  readonly repo: string;
  readonly labels: readonly string[];
}): PullRequestHost {
  const { access, owner, repo } = options;
  const api = new HostApi(access);
  return async () => {
    const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
    const pulls = await api.linked<Pull>(`${path}/pulls?per_page=100`, () =>
      repositoryNotFound(`${owner}/${repo}`, access.base),
    );
    return pulls.map(pullRequestOf).filter(({ labels }) => options.labels.every((label) => labels.includes(label)));
  };
}

function pullRequestOf({ number, title, head, base, user, labels }: Pull): PullRequest {
  return {
    number,
    title: title ?? '',
    branch: head.ref,
    targetBranch: base.ref,
    headSha: head.sha,
    labels: (labels ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])),
    author: user?.login ?? '',
  };
}
