import { cloneUrl } from './clone-url.ts';
import type { PullRequestHost, RepositoryHost } from './host.ts';
import { type ApiAccess, HostApi } from './host-api.ts';
import { repositoryNotFound } from './not-found.ts';

/** The API of gitlab.com, or of a server at an address that may lack its `/api/v4`. */
export function gitlabBase(api: string | undefined): string {
  const base = (api || 'https://gitlab.com').replace(/(?<!\/)\/+$/, '');
  return base.endsWith('/api/v4') ? base : `${base}/api/v4`;
}

interface Project {
  readonly id: number;
  readonly path: string;
  readonly namespace?: { readonly full_path?: string };
  readonly default_branch?: string;
  readonly ssh_url_to_repo?: string;
  readonly http_url_to_repo?: string;
  readonly topics?: readonly string[];
  readonly tag_list?: readonly string[];
}

interface Branch {
  readonly name: string;
  readonly commit?: { readonly id?: string };
}

export interface GitlabOptions {
  readonly access: ApiAccess;
  readonly group: string;
  readonly allBranches: boolean;
  readonly includeSubgroups: boolean;
  readonly includeSharedProjects: boolean;
  readonly includeArchived: boolean;
  readonly topic: string;
  readonly cloneProtocol?: string | undefined;
}

export function gitlabRepositories(options: GitlabOptions): RepositoryHost {
  const api = new HostApi(options.access);
  return {
    async repositories() {
      const query = new URLSearchParams({
        per_page: '100',
        include_subgroups: String(options.includeSubgroups),
        with_shared: String(options.includeSharedProjects),
        topic: options.topic,
        ...(options.includeArchived ? { archived: 'true' } : {}),
      });
      const projects = await api.linked<Project>(`/groups/${encodeURIComponent(options.group)}/projects?${query}`);
      return projects.map((project) => ({
        organization: project.namespace?.full_path ?? '',
        repository: project.path,
        id: project.id,
        url: cloneUrl(options.cloneProtocol, 'Gitlab', {
          ssh: project.ssh_url_to_repo,
          https: project.http_url_to_repo,
        }),
        branch: project.default_branch ?? '',
        sha: '',
        // servers before 14.5 have no topics
        labels: project.topics?.length ? project.topics : (project.tag_list ?? []),
      }));
    },

    async branches(repository) {
      const base = `/projects/${repository.id}/repository/branches`;
      const at = ({ name, commit }: Branch) => ({ ...repository, branch: name, sha: commit?.id ?? '' });
      if (!options.allBranches) {
        const { status, json } = await api.ask(`${base}/${encodeURIComponent(repository.branch)}`, { accept: [404] });
        return status === 404 ? [] : [at(json as Branch)];
      }
      return (await api.linked<Branch>(`${base}?per_page=100`)).map(at);
    },

    async hasPath(repository, path) {
      const ref = encodeURIComponent(repository.branch);
      const base = `/projects/${repository.id}/repository`;
      const file = await api.ask(`${base}/files/${encodeURIComponent(path)}?ref=${ref}`, { accept: [404] });
      if (file.status !== 404) return true;
      const tree = await api.ask(`${base}/tree?per_page=1&path=${encodeURIComponent(path)}&ref=${ref}`, {
        accept: [404],
      });
      return tree.status !== 404 && Array.isArray(tree.json) && tree.json.length > 0;
    },
  };
}

interface MergeRequest {
  readonly iid: number;
  readonly title: string;
  readonly source_branch: string;
  readonly target_branch: string;
  readonly sha: string;
  readonly labels?: readonly string[];
  readonly author?: { readonly username?: string };
}

/** Merge requests of a state (any if absent) that have all of the labels. */
export function gitlabPullRequests(options: {
  readonly access: ApiAccess;
  readonly project: string;
  readonly labels: readonly string[];
  readonly state: string | undefined;
}): PullRequestHost {
  const { access, project, labels, state } = options;
  const api = new HostApi(access);
  return async () => {
    const path = `/projects/${encodeURIComponent(project)}/merge_requests`;
    const query = new URLSearchParams({
      per_page: '100',
      ...(labels.length > 0 ? { labels: labels.join(',') } : {}),
      ...(state ? { state } : {}),
    });
    const found = await api.linked<MergeRequest>(`${path}?${query}`, () => repositoryNotFound(project, access.base));
    return found.map((request) => ({
      number: request.iid,
      title: request.title,
      branch: request.source_branch,
      targetBranch: request.target_branch,
      headSha: request.sha,
      labels: request.labels ?? [],
      author: request.author?.username ?? '',
    }));
  };
}
