import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A content, or where a symbolic link leads; null deletes the file. */
export type FileContent = string | Uint8Array | { readonly link: string } | null;

/** A git repository with a work tree, made with the real git and an identity of its own. */
export class TestRepository {
  readonly path: string;

  /** Makes it, with the branch `main` and no commit. */
  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    this.git('init', '--quiet', '--initial-branch=main', '--template=');
    // Servers made from it give single commits to every caller. Tests commit often: no housekeeping after each.
    const config = '[uploadpack]\n\tallowAnySHA1InWant = true\n[maintenance]\n\tauto = false\n';
    appendFileSync(join(path, '.git', 'config'), config);
  }

  /** Writes the files and commits them; returns the commit's id. */
  commit(files: Readonly<Record<string, FileContent>>, message = 'Change'): string {
    for (const [path, content] of Object.entries(files)) {
      const target = join(this.path, path);
      rmSync(target, { recursive: true, force: true });
      if (content === null) continue;
      mkdirSync(dirname(target), { recursive: true });
      if (typeof content === 'object' && 'link' in content) symlinkSync(content.link, target);
      else writeFileSync(target, content);
    }
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Runs git in the work tree; returns what it prints, trimmed. */
  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: this.path,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Test Author',
        GIT_AUTHOR_EMAIL: 'author@example.com',
        GIT_COMMITTER_NAME: 'Test Author',
        GIT_COMMITTER_EMAIL: 'author@example.com',
      },
    }).trim();
  }
}
