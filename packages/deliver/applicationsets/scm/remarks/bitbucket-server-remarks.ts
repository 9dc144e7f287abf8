import { isRecord } from '../../params/params.ts';
import type { HostApi } from '../host-api.ts';
import { json, type PullRequestRemarks, shownMark } from './remarks.ts';

/** The server takes 32,768 characters, and shows HTML as it is written. */
const style = { most: 30_000, folds: false };
const maxPages = 100;

interface Comment {
  readonly id: number;
  readonly version: number;
  readonly text?: string;
  readonly author?: { readonly name?: string };
}

interface Activities {
  readonly values?: readonly { readonly action?: string; readonly comment?: Comment }[];
  readonly isLastPage?: boolean;
  readonly nextPageStart?: number | null;
}

/** The base of `api` ends with `/rest`. */
export function bitbucketServerRemarks(
  api: HostApi,
  { names, address }: { names: readonly string[]; address: string },
): PullRequestRemarks {
  const [project = '', repository = ''] = names;
  const place = `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repository)}`;
  const pulls = `/api/1.0${place}/pull-requests`;
  return {
    style,
    commit: async ({ commit }) => commit,
    async comment(number, name, text) {
      const path = `${pulls}/${number}/comments`;
      const mark = shownMark(name);
      const body = { text: `${mark}\n\n${text}` };
      for (const { id, version } of await ownComments(api, `${pulls}/${number}/activities`, mark)) {
        const asked = { method: 'PUT', body: JSON.stringify({ ...body, version }), headers: json };
        // 409: somebody has answered or changed it in between
        if ((await api.ask(`${path}/${id}`, { ...asked, accept: [403, 404, 409] })).status < 300) return;
      }
      await api.ask(path, { body: JSON.stringify(body), headers: json });
    },
    async status({ number, commit }, { state, context, description }) {
      const body = {
        key: context,
        name: context,
        state: state === 'success' ? 'SUCCESSFUL' : 'FAILED',
        description: description.slice(0, 255),
        url: `${address}${place}/pull-requests/${number}`,
      };
      await api.ask(`/build-status/1.0/commits/${commit}`, { body: JSON.stringify(body), headers: json });
    },
    async open({ title, body, head, base }) {
      const ref = (branch: string) => ({
        id: `refs/heads/${branch}`,
        repository: { slug: repository, project: { key: project } },
      });
      const text = JSON.stringify({ title, description: body, fromRef: ref(head), toRef: ref(base) });
      const { json: made } = await api.ask(pulls, { body: text, headers: json });
      const links = isRecord(made) && isRecord(made.links) && Array.isArray(made.links.self) ? made.links.self : [];
      return String((links[0] as { href?: unknown } | undefined)?.href ?? '');
    },
  };
}

/** Comments are told among the activities alone, and whose credentials these are in a header of the answer. */
async function ownComments(api: HostApi, path: string, mark: string): Promise<Comment[]> {
  const found: Comment[] = [];
  for (let start = 0, page = 0; page < maxPages; page += 1) {
    const { json: answer, headers } = await api.ask(`${path}?limit=100&start=${start}`);
    const { values = [], isLastPage, nextPageStart } = (answer ?? {}) as Activities;
    const user = headers['x-ausername'];
    for (const { action, comment } of values) {
      const isOwn = user !== undefined && comment?.author?.name === decodeURIComponent(user);
      if (action === 'COMMENTED' && comment?.text?.startsWith(mark) && isOwn) found.push(comment);
    }
    if (isLastPage !== false || typeof nextPageStart !== 'number' || nextPageStart <= start) break;
    start = nextPageStart;
  }
  return found;
}
