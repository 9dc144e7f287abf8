import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real git repository in a temporary folder, with a branch `main`. */
export class TestRepository {
  readonly url: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.url = mkdtempSync(join(tmpdir(), 'tiphys-repository-'));
    this.git('init', '--quiet', '--initial-branch=main');
    this.commit(files, 'Begin');
  }

  /** Writes files (undefined removes one), commits them, and returns the commit. */
  commit(files: Readonly<Record<string, string | Uint8Array | undefined>>, message = 'Change'): string {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.url, path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === undefined) rmSync(file, { recursive: true });
      else writeFileSync(file, content);
    }
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...identity, ...args], {
      cwd: this.url,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  remove(): void {
    rmSync(this.url, { recursive: true, force: true });
  }
}
