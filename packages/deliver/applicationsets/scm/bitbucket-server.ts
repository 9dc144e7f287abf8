import { cloneUrl } from './clone-url.ts';
import type { HostedRepository, PullRequestHost, RepositoryHost } from './host.ts';
import { type ApiAccess, HostApi, type JsonAnswer } from './host-api.ts';
import { repositoryNotFound } from './not-found.ts';

/** The API of a Bitbucket server, whose address may lack its `/rest`. */
export function bitbucketServerBase(api: string): string {
  const base = api.replace(/(?<!\/)\/+$/, '');
  return `${base.endsWith('/rest') ? base : `${base}/rest`}/api/1.0`;
}

interface Page<T> {
  readonly values?: readonly T[];
  readonly isLastPage?: boolean;
  readonly nextPageStart?: number | null;
}

/** All values of a list that goes on at `nextPageStart`. */
async function pages<T>(api: HostApi, path: string, absent?: () => Error): Promise<T[]> {
  const values: T[] = [];
  for (let start = 0; ; ) {
    const at = `${path}${path.includes('?') ? '&' : '?'}limit=100${start > 0 ? `&start=${start}` : ''}`;
    const { status, json }: JsonAnswer = await api.ask(at, absent ? { accept: [404] } : {});
    if (status === 404 && absent) throw absent();
    const page = (json ?? {}) as Page<T>;
    values.push(...api.list<T>(page.values ?? [], at));
    if (page.isLastPage !== false || typeof page.nextPageStart !== 'number' || page.nextPageStart <= start)
      return values;
    start = page.nextPageStart;
  }
}

interface Repo {
  readonly id: number;
  readonly name: string;
  readonly slug?: string;
  readonly project: { readonly key: string };
  readonly links?: { readonly clone?: readonly { readonly name: string; readonly href: string }[] };
}

interface Branch {
  readonly displayId: string;
  readonly latestCommit?: string;
}

export interface BitbucketServerOptions {
  readonly access: ApiAccess;
  readonly project: string;
  readonly allBranches: boolean;
  readonly cloneProtocol?: string | undefined;
}

export function bitbucketServerRepositories(options: BitbucketServerOptions): RepositoryHost {
  const api = new HostApi(options.access);
  const repoPath = (project: string, repository: string) =>
    `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repository)}`;
  const at = (repository: HostedRepository, { displayId, latestCommit }: Branch) => ({
    ...repository,
    branch: displayId,
    sha: latestCommit ?? '',
  });
  /** Undefined for an empty repository: the server answers 404 or nothing then. */
  const defaultBranch = async (project: string, repository: string): Promise<Branch | undefined> => {
    const { status, json } = await api.ask(`${repoPath(project, repository)}/branches/default`, { accept: [404] });
    return status === 404 || !json ? undefined : (json as Branch);
  };
  return {
    async repositories() {
      const repos = await pages<Repo>(api, `/projects/${encodeURIComponent(options.project)}/repos`);
      const found = await Promise.all(
        repos.map(async (repo) => {
          const branch = await defaultBranch(repo.project.key, repo.slug ?? repo.name);
          const links = Object.fromEntries((repo.links?.clone ?? []).map(({ name, href }) => [name, href]));
          return branch
            ? [
                {
                  organization: repo.project.key,
                  repository: repo.name,
                  id: repo.id,
                  url: cloneUrl(options.cloneProtocol, 'Bitbucket Server', { ssh: links.ssh, https: links.http }),
                  branch: branch.displayId,
                  sha: branch.latestCommit ?? '',
                  labels: [],
                },
              ]
            : [];
        }),
      );
      return found.flat();
    },

    async branches(repository) {
      const { organization, repository: name } = repository;
      if (options.allBranches)
        return (await pages<Branch>(api, `${repoPath(organization, name)}/branches`)).map((branch) =>
          at(repository, branch),
        );
      const branch = await defaultBranch(organization, name);
      return branch ? [at(repository, branch)] : [];
    },

    async hasPath(repository, path) {
      const file = path.split('/').map(encodeURIComponent).join('/');
      const where = repoPath(repository.organization, repository.repository);
      const query = `at=${encodeURIComponent(repository.branch)}&type=true&limit=100`;
      return (await api.ask(`${where}/browse/${file}?${query}`, { accept: [404] })).status !== 404;
    },
  };
}

interface Pull {
  readonly id: number;
  readonly title: string;
  readonly fromRef: { readonly displayId: string; readonly latestCommit: string };
  readonly toRef: { readonly displayId: string };
  readonly author?: { readonly user?: { readonly name?: string } };
}

/** Open pull requests; the server has no labels. */
export function bitbucketServerPullRequests({
  access,
  project,
  repo,
}: {
  readonly access: ApiAccess;
  readonly project: string;
  readonly repo: string;
}): PullRequestHost {
  const api = new HostApi(access);
  return async () => {
    const path = `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repo)}/pull-requests`;
    const absent = () => repositoryNotFound(`${project}/${repo}`, access.base);
    return (await pages<Pull>(api, path, absent)).map((pull) => ({
      number: pull.id,
      title: pull.title,
      branch: pull.fromRef.displayId,
      targetBranch: pull.toRef.displayId,
      headSha: pull.fromRef.latestCommit,
      labels: [],
      author: pull.author?.user?.name ?? '',
    }));
  };
}
