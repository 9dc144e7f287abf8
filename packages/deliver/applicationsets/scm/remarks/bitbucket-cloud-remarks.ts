import { isRecord } from '../../params/params.ts';
import { pages } from '../bitbucket-cloud.ts';
import type { HostApi } from '../host-api.ts';
import { json, type PullRequestRemarks, shownMark } from './remarks.ts';

/** The host takes 32,768 characters, and shows HTML as it is written. */
const style = { most: 30_000, folds: false };

interface Comment {
  readonly id: number;
  readonly deleted?: boolean;
  readonly content?: { readonly raw?: string };
  readonly user?: { readonly uuid?: string; readonly type?: string };
}

interface Pull {
  readonly source?: {
    readonly commit?: { readonly hash?: string };
    readonly repository?: { readonly full_name?: string } | null;
  };
}

export function bitbucketCloudRemarks(
  api: HostApi,
  { names, address }: { names: readonly string[]; address: string },
): PullRequestRemarks {
  const repository = `/repositories/${names.map(encodeURIComponent).join('/')}`;
  const pulls = `${repository}/pullrequests`;
  return {
    style,
    // announcements have the first characters of the commit alone, and the newest may be another by now
    async commit({ number }) {
      const { source } = ((await api.ask(`${pulls}/${number}`)).json ?? {}) as Pull;
      if (source?.repository?.full_name?.toLowerCase() !== names.join('/').toLowerCase()) return undefined;
      const { json: found } = await api.ask(`${repository}/commit/${encodeURIComponent(source.commit?.hash ?? '')}`);
      return (found as { hash?: string } | null)?.hash;
    },
    async comment(number, name, text) {
      const path = `${pulls}/${number}/comments`;
      const mark = shownMark(name);
      const marked = (await pages<Comment>(api, `${path}?pagelen=100`)).filter(
        ({ content, deleted }) => !deleted && content?.raw?.startsWith(mark),
      );
      const body = JSON.stringify({ content: { raw: `${mark}\n\n${text}` } });
      const isOwn = marked.length > 0 ? await ownership(api) : () => false;
      for (const { id } of marked.filter(isOwn)) {
        const asked = { method: 'PUT', body, headers: json, accept: [403, 404] };
        if ((await api.ask(`${path}/${id}`, asked)).status < 300) return;
      }
      await api.ask(path, { body, headers: json });
    },
    async status({ number, commit }, { state, context, description }) {
      const body = {
        key: context.slice(0, 40),
        name: context,
        state: state === 'success' ? 'SUCCESSFUL' : 'FAILED',
        description: description.slice(0, 255),
        url: `${address}/${names.join('/')}/pull-requests/${number}`,
      };
      await api.ask(`${repository}/commit/${commit}/statuses/build`, { body: JSON.stringify(body), headers: json });
    },
    async open({ title, body, head, base }) {
      const branch = (name: string) => ({ branch: { name } });
      const wanted = { title, description: body, source: branch(head), destination: branch(base) };
      const text = JSON.stringify({ ...wanted, close_source_branch: true });
      const { json: made } = await api.ask(pulls, { body: text, headers: json });
      const links = isRecord(made) && isRecord(made.links) && isRecord(made.links.html) ? made.links.html : {};
      return String(links.href ?? '');
    },
  };
}

/** Tells the comments of whom the credentials are; tokens of a repository or workspace are of no person, but of an app. */
async function ownership(api: HostApi): Promise<(comment: Comment) => boolean> {
  const { status, json: user } = await api.ask('/user', { accept: [401, 403, 404] });
  const uuid = status < 300 ? (user as { uuid?: string } | null)?.uuid : undefined;
  return ({ user: by }) => (uuid === undefined ? by?.type === 'app_user' : by?.uuid === uuid);
}
