import type { HostApi } from '../host-api.ts';
import { writeComment } from './own-comment.ts';
import { json, type PullRequestRemarks } from './remarks.ts';

/** GitHub takes 65,536 characters; Gitea, which serves the same requests below another address, more. */
const style = { most: 60_000, folds: true };

export function githubRemarks(api: HostApi, names: readonly string[]): PullRequestRemarks {
  const repository = `/repos/${names.map(encodeURIComponent).join('/')}`;
  const issues = `${repository}/issues`;
  return {
    style,
    commit: async ({ commit }) => commit,
    comment: (number, name, text) =>
      writeComment(api, `${issues}/${number}/comments`, {
        name,
        text,
        change: 'PATCH',
        at: (id) => `${issues}/comments/${id}`,
      }),
    async status({ commit }, { state, context, description }) {
      await api.ask(`${repository}/statuses/${commit}`, {
        body: JSON.stringify({ state, context, description: description.slice(0, 140) }),
        headers: json,
      });
    },
    async open({ title, body, head, base }) {
      const text = JSON.stringify({ title, body, head, base });
      const answer = await api.ask(`${repository}/pulls`, { body: text, headers: json });
      return String((answer.json as { html_url?: unknown } | null)?.html_url ?? '');
    },
  };
}
