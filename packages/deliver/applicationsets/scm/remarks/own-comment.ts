import type { HostApi } from '../host-api.ts';
import { hiddenMark, json } from './remarks.ts';

/** Writes the comment with the mark anew, or the first one, on GitHub, Gitea and GitLab. */
export async function writeComment(
  api: HostApi,
  path: string,
  { name, text, change, at }: { name: string; text: string; change: 'PATCH' | 'PUT'; at: (id: number) => string },
): Promise<void> {
  const mark = hiddenMark(name);
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
  const { status, json: user } = await api.ask('/user', { accept: [401, 403, 404] });
  const id = status < 300 ? (user as Author | null)?.id : undefined;
  return ({ user: by, author }) => {
    const writer = by ?? author;
    return id === undefined ? writer?.type === 'Bot' : writer?.id === id;
  };
}
