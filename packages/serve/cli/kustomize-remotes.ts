import { homedir } from 'node:os';
import { join } from 'node:path';
import { GitRepositories } from '@tiphys/git';
import { systemClock } from '@tiphys/kubernetes';
import { cloneUrl, type Remotes, treeOf } from '@tiphys/kustomize';

const maxBytes = 32 * 1024 * 1024;

/** Files by HTTP, and remote bases by git, with what git itself knows of credentials; mirrors are kept in the user's cache. */
export function kustomizeRemotes(env: Readonly<Record<string, string | undefined>>): {
  readonly remotes: Remotes;
  close(): Promise<void>;
} {
  let git: GitRepositories | undefined;
  return {
    remotes: {
      async repository(spec) {
        git ??= new GitRepositories({
          cacheDir: join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tiphys', 'git'),
          clock: systemClock,
          localRepositories: 'any',
        });
        const repository = { url: cloneUrl(spec) };
        const { commit } = await git.resolve(repository, spec.ref, { maxAge: 0 });
        return { tree: treeOf(await git.open(repository, commit)), root: '/' };
      },
      async file(url) {
        const { HttpClient } = await import('@tiphys/registry');
        const client = new HttpClient({ timeout: 30_000, attempts: 2, userAgent: 'tiphys (kustomize)' });
        const { status, statusText, headers, body } = await client.send({ url, access: {}, maxBytes });
        const contentType = headers['content-type'];
        return { status, statusText, body, ...(contentType ? { contentType } : {}) };
      },
    },
    async close() {
      await git?.close();
    },
  };
}
