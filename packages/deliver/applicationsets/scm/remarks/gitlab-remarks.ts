import type { HostApi } from '../host-api.ts';
import { writeComment } from './own-comment.ts';
import { json, type PullRequestRemarks } from './remarks.ts';

const style = { most: 60_000, folds: true };

export function gitlabRemarks(api: HostApi, repository: string): PullRequestRemarks {
  const project = encodeURIComponent(repository);
  return {
    style,
    commit: async ({ commit }) => commit,
    comment(number, name, text) {
      const notes = `/projects/${project}/merge_requests/${number}/notes`;
      return writeComment(api, notes, { name, text, change: 'PUT', at: (id) => `${notes}/${id}` });
    },
    async status({ commit }, { state, context, description }) {
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
    async open({ title, body, head, base }) {
      const wanted = { title, description: body, source_branch: head, target_branch: base, remove_source_branch: true };
      const answer = await api.ask(`/projects/${project}/merge_requests`, {
        body: JSON.stringify(wanted),
        headers: json,
      });
      return String((answer.json as { web_url?: unknown } | null)?.web_url ?? '');
    },
  };
}
