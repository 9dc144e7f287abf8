import { isRecord } from '../../params/params.ts';
import type { HostApi } from '../host-api.ts';
import { hiddenMark, json, type PullRequestRemarks } from './remarks.ts';

const style = { most: 60_000, folds: true };
const version = 'api-version=7.1';
const heads = 'refs/heads/';
/** Of a thread: nothing that somebody has to see to before the merge. */
const closed = 4;

interface Comment {
  readonly id: number;
  readonly content?: string;
  readonly isDeleted?: boolean;
  readonly author?: { readonly id?: string };
}

interface Thread {
  readonly id: number;
  readonly isDeleted?: boolean;
  readonly comments?: readonly Comment[];
}

interface Pull {
  readonly pullRequestId?: number;
  readonly forkSource?: unknown;
  readonly lastMergeSourceCommit?: { readonly commitId?: string };
}

/** The base of `api` is the address of the organization. */
export function azureRemarks(
  api: HostApi,
  { names, address }: { names: readonly string[]; address: string },
): PullRequestRemarks {
  const [project = '', repository = ''] = names.map(encodeURIComponent);
  const pulls = `/${project}/_apis/git/repositories/${repository}/pullRequests`;
  return {
    style,
    // announcements do not say reliably whether it is of a fork
    async commit({ number }) {
      const pull = ((await api.ask(`${pulls}/${number}?${version}`)).json ?? {}) as Pull;
      return pull.forkSource ? undefined : pull.lastMergeSourceCommit?.commitId;
    },
    async comment(number, name, text) {
      const threads = `${pulls}/${number}/threads`;
      const mark = hiddenMark(name);
      const path = `${threads}?${version}`;
      const { json: answer } = await api.ask(path);
      const all = api.list<Thread>(isRecord(answer) ? answer.value : answer, path).filter((each) => !each.isDeleted);
      const content = `${mark}\n${text}`;
      const marked = all.flatMap(({ id, comments = [] }) =>
        comments
          .filter((each) => !each.isDeleted && each.content?.startsWith(mark))
          .map((comment) => ({ thread: id, comment })),
      );
      const self = marked.length > 0 ? await selfOf(api) : undefined;
      for (const { thread, comment } of marked) {
        if (self === undefined || comment.author?.id !== self) continue;
        const asked = { method: 'PATCH', body: JSON.stringify({ content }), headers: json, accept: [403, 404] };
        if ((await api.ask(`${threads}/${thread}/comments/${comment.id}?${version}`, asked)).status < 300) return;
      }
      const body = JSON.stringify({ comments: [{ parentCommentId: 0, content, commentType: 1 }], status: closed });
      await api.ask(path, { body, headers: json });
    },
    // those of commits are not shown with a pull request, and no policy of a branch can ask for them
    async status({ number }, { state, context, description }) {
      const [genre = '', ...rest] = context.split('/');
      const body = {
        state: state === 'success' ? 'succeeded' : 'failed',
        description,
        context: { genre, name: rest.join('/') || context },
      };
      await api.ask(`${pulls}/${number}/statuses?${version}`, { body: JSON.stringify(body), headers: json });
    },
    async open({ title, body, head, base }) {
      const wanted = { title, description: body, sourceRefName: `${heads}${head}`, targetRefName: `${heads}${base}` };
      const { json: made } = await api.ask(`${pulls}?${version}`, { body: JSON.stringify(wanted), headers: json });
      const number = (made as Pull | null)?.pullRequestId;
      return number === undefined ? '' : `${address}/${project}/_git/${repository}/pullrequest/${number}`;
    },
  };
}

/** Whose credentials these are. */
async function selfOf(api: HostApi): Promise<string | undefined> {
  const { json: answer } = await api.ask('/_apis/connectionData', { accept: [401, 403, 404] });
  const user = isRecord(answer) && isRecord(answer.authenticatedUser) ? answer.authenticatedUser.id : undefined;
  return typeof user === 'string' ? user : undefined;
}
