import { cloneUrl } from './clone-url.ts';
import type { PullRequestHost, RepositoryHost } from './host.ts';
import { type ApiAccess, HostApi, type JsonAnswer } from './host-api.ts';
import { repositoryNotFound } from './not-found.ts';

export const bitbucketCloudBase = 'https://api.bitbucket.org/2.0';

interface Page<T> {
  readonly values?: readonly T[];
  readonly next?: string;
}

/** All values of a list that goes on with `next`. */
export async function pages<T>(api: HostApi, path: string, absent?: () => Error): Promise<T[]> {
  const values: T[] = [];
  const seen = new Set<string>();
  for (let next: string | undefined = path; next !== undefined && !seen.has(next); ) {
    seen.add(next);
    const { status, json }: JsonAnswer = await api.ask(next, absent ? { accept: [404] } : {});
    if (status === 404 && absent) throw absent();
    const page = (json ?? {}) as Page<T>;
    values.push(...api.list<T>(page.values ?? [], next));
    next = page.next;
  }
  return values;
}

interface Repo {
  readonly uuid: string;
  readonly slug: string;
  readonly mainbranch?: { readonly name?: string } | null;
  readonly links?: { readonly clone?: readonly { readonly name: string; readonly href: string }[] };
}

interface Branch {
  readonly name: string;
  readonly target?: { readonly hash?: string };
}

export interface BitbucketCloudOptions {
  readonly access: ApiAccess;
  readonly owner: string;
  readonly allBranches: boolean;
  readonly cloneProtocol?: string | undefined;
}

/** Repositories of a workspace that the user is a member of. */
export function bitbucketCloudRepositories({
  access,
  owner,
  allBranches,
  cloneProtocol,
}: BitbucketCloudOptions): RepositoryHost {
  const api = new HostApi(access);
  const repoPath = (repository: string) =>
    `/repositories/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`;
  return {
    async repositories() {
      const repos = await pages<Repo>(api, `/repositories/${encodeURIComponent(owner)}?role=member&pagelen=100`);
      return repos.map((repo) => ({
        organization: owner,
        repository: repo.slug,
        id: repo.uuid,
        url: cloneUrl(
          cloneProtocol,
          'Bitbucket cloud',
          Object.fromEntries((repo.links?.clone ?? []).map(({ name, href }) => [name, href])),
        ),
        branch: repo.mainbranch?.name ?? '',
        sha: '',
        labels: [],
      }));
    },

    async branches(repository) {
      const at = ({ name, target }: Branch) => ({ ...repository, branch: name, sha: target?.hash ?? '' });
      const base = `${repoPath(repository.repository)}/refs/branches`;
      if (allBranches) return (await pages<Branch>(api, `${base}?pagelen=100`)).map(at);
      const { json } = await api.ask(`${base}/${encodeURIComponent(repository.branch)}`);
      return [at(json as Branch)];
    },

    async hasPath(repository, path) {
      const file = path.split('/').map(encodeURIComponent).join('/');
      const at = `${repoPath(repository.repository)}/src/${repository.sha}/${file}?format=meta`;
      return (await api.ask(at, { accept: [404] })).status !== 404;
    },
  };
}

interface Pull {
  readonly id: number;
  readonly title: string;
  readonly source: { readonly branch: { readonly name: string }; readonly commit: { readonly hash: string } };
  readonly destination: { readonly branch: { readonly name: string } };
  readonly author?: { readonly nickname?: string };
}

/** Open pull requests; the host has no labels. */
export function bitbucketCloudPullRequests({
  access,
  owner,
  repo,
}: {
  readonly access: ApiAccess;
  readonly owner: string;
  readonly repo: string;
}): PullRequestHost {
  const api = new HostApi(access);
  return async () => {
    const path = `/repositories/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/pullrequests`;
    const absent = () => repositoryNotFound(`${owner}/${repo}`, access.base);
    return (await pages<Pull>(api, `${path}?pagelen=50`, absent)).map((pull) => ({
      number: pull.id,
      title: pull.title,
      branch: pull.source.branch.name,
      targetBranch: pull.destination.branch.name,
      headSha: pull.source.commit.hash,
      labels: [],
      author: pull.author?.nickname ?? '',
    }));
  };
}
