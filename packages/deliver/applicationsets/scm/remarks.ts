import { failure } from '@tiphys/diagnosis';
import { scmRefused } from '../diagnoses/diagnoses.ts';
import { giteaBase } from './gitea.ts';
import { githubBase, githubHeaders } from './github.ts';
import { gitlabBase } from './gitlab.ts';
import { type ApiAccess, HostApi } from './host-api.ts';

/** Hosts whose pull requests can be written to. */
export type RemarkHost = 'github' | 'gitlab' | 'gitea';

export interface RemarkPlace {
  readonly host: RemarkHost;
  /** As sources name it, by HTTP or SSH: the API is asked at the same host, whatever an announcement says. */
  readonly repoURL: string;
  /** The repository with the names of its owners. */
  readonly repository: string;
}

export interface CommitStatus {
  readonly state: 'success' | 'failure';
  /** What it is the status of. */
  readonly context: string;
  readonly description: string;
}

/** What can be written to a pull request and to its newest commit. */
export interface PullRequestRemarks {
  /** Writes the own comment that begins with the mark anew, or the first one. */
  comment(number: number, mark: string, text: string): Promise<void>;
  status(commit: string, status: CommitStatus): Promise<void>;
}

type Credentials = ApiAccess['credentials'];

/** Pull requests of a repository, by the credentials that its manifests are read with. Throws where they are none for the API. */
export function pullRequestRemarks(
  place: RemarkPlace,
  parts: Pick<ApiAccess, 'http' | 'signal'> & { readonly credentials: Credentials },
): PullRequestRemarks {
  const { host, repository } = place;
  const api = new HostApi({
    ...parts,
    base: apiBase(place),
    headers: headersOf(place, parts.credentials),
    refusals: 'stalled',
    remedies: [
      'Permit the credentials of the repository to write comments and commit statuses',
      'Take the repository out of tiphys.preview.repositories of argocd-cm',
    ],
  });
  const part = repository.split('/').map(encodeURIComponent).join('/');
  return host === 'gitlab' ? gitlabRemarks(api, encodeURIComponent(repository)) : githubRemarks(api, part);
}

/** Gitea serves the same requests below another address. */
function githubRemarks(api: HostApi, repository: string): PullRequestRemarks {
  const issues = `/repos/${repository}/issues`;
  return {
    comment: (number, mark, text) =>
      writeComment(api, `${issues}/${number}/comments`, {
        mark,
        text,
        change: 'PATCH',
        at: (id) => `${issues}/comments/${id}`,
      }),
    async status(commit, { state, context, description }) {
      await api.ask(`/repos/${repository}/statuses/${commit}`, {
        body: JSON.stringify({ state, context, description: description.slice(0, 140) }),
        headers: json,
      });
    },
  };
}

function gitlabRemarks(api: HostApi, project: string): PullRequestRemarks {
  return {
    comment(number, mark, text) {
      const notes = `/projects/${project}/merge_requests/${number}/notes`;
      return writeComment(api, notes, { mark, text, change: 'PUT', at: (id) => `${notes}/${id}` });
    },
    async status(commit, { state, context, description }) {
      const said = state === 'failure' ? 'failed' : state;
      const body = JSON.stringify({ state: said, name: context, description: description.slice(0, 255) });
      const path = `/projects/${project}/statuses/${commit}`;
      if ((await api.ask(path, { body, headers: json, accept: [400] })).status < 400) return;
      // what is said twice is refused, and is there; any other refusal is one
      const query = `name=${encodeURIComponent(context)}&per_page=100`;
      const known = await api.linked<{ readonly status?: string }>(
        `/projects/${project}/repository/commits/${commit}/statuses?${query}`,
      );
      if (!known.some(({ status }) => status === said)) await api.ask(path, { body, headers: json });
    },
  };
}

const json = { 'content-type': 'application/json' };

async function writeComment(
  api: HostApi,
  path: string,
  { mark, text, change, at }: { mark: string; text: string; change: 'PATCH' | 'PUT'; at: (id: number) => string },
): Promise<void> {
  const comments = (await api.linked<Comment>(`${path}?per_page=100`)).filter((each) => each.body?.startsWith(mark));
  const body = JSON.stringify({ body: `${mark}\n${text}` });
  // somebody else may have copied the mark, whose words are not ours to change
  const isOwn = comments.length > 0 ? await ownership(api) : () => false;
  for (const comment of comments.filter(isOwn)) {
    const { status } = await api.ask(at(comment.id), { method: change, body, headers: json, accept: [403, 404] });
    if (status < 300) return;
  }
  await api.ask(path, { body, headers: json });
}

/** A comment as GitHub, Gitea (`user`) and GitLab (`author`) have it. */
interface Comment {
  readonly id: number;
  readonly body?: string;
  readonly user?: Author;
  readonly author?: Author;
}

interface Author {
  readonly id?: number;
  /** `Bot` for a GitHub App. */
  readonly type?: string;
}

/**
 * Tells the comments of whom the token belongs to. That of an installation of a GitHub App belongs to no user, and none is said to a
 * token without the permission: then those of robots are taken for its own.
 */
async function ownership(api: HostApi): Promise<(comment: Comment) => boolean> {
  const { status, json } = await api.ask('/user', { accept: [401, 403, 404] });
  const id = status < 300 ? (json as Author | null)?.id : undefined;
  return ({ user, author }) => {
    const by = user ?? author;
    return id === undefined ? by?.type === 'Bot' : by?.id === id;
  };
}

/** The API of the host that the repository is read from. Throws where the address and the repository's name do not fit. */
function apiBase({ host, repoURL, repository }: RemarkPlace): string {
  const scp = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(repoURL);
  const url = new URL(scp && !repoURL.includes('://') ? `ssh://${scp[1]}/${scp[2]}` : repoURL);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '');
  if (!path.toLowerCase().endsWith(`/${repository.toLowerCase()}`))
    throw failure(scmRefused, {
      message: `The announced repository ${repository} is not the one at the address of the applications`,
      place: { remote: repoURL },
      remedies: ['Let applications name the repository by its address at the host, without a mirror between'],
    });
  const web = /^https?:$/.test(url.protocol);
  const top = path.slice(0, path.length - repository.length - 1);
  const address = `${web ? url.protocol : 'https:'}//${web ? url.host : url.hostname}${web ? top : ''}`;
  if (host === 'github') return url.hostname === 'github.com' ? githubBase(undefined) : githubBase(address);
  return host === 'gitlab' ? gitlabBase(address) : giteaBase(address);
}

function headersOf({ host, repoURL }: RemarkPlace, credentials: Credentials): Record<string, string> {
  const token = credentials.bearerToken || credentials.password;
  if (!token)
    throw failure(scmRefused, {
      message: 'The repository has no token that its pull requests could be written to with',
      place: { remote: repoURL, field: 'password' },
      remedies: ['Register the repository by HTTPS with a token as the password, or with a GitHub App'],
    });
  if (host === 'gitlab') return { 'private-token': token };
  return host === 'gitea'
    ? { authorization: `token ${token}` }
    : { ...githubHeaders, authorization: `Bearer ${token}` };
}
