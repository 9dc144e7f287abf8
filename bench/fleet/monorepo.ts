import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitRepositories } from '@tiphys/git';
import { startGitServer } from '@tiphys/git/testing';
import { systemClock } from '@tiphys/kubernetes';
import { markdownTable, mebibytes, median, seconds } from '../table.ts';
import { measured } from './fleet-workload.ts';

export interface MonorepoOptions {
  readonly files: number;
  readonly pushes: number;
}

const perFolder = 1000;
const branch = 'refs/heads/main';

interface Sample {
  /** Milliseconds from the push until the changed file is read. */
  readonly latency: number;
  readonly memory: number;
  readonly disk: number;
  readonly handles: number;
}

/**
 * One repository of very many files behind a real git server, and pushes that follow one another without a pause: each is resolved, fetched,
 * read and compared with the one before, as a commit of a monorepo is. Tells latency, memory, disk and handles in each third.
 */
export async function benchMonorepo({ files, pushes }: MonorepoOptions): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-monorepo-'));
  const origin = join(folder, 'origin', 'shop.git');
  const cacheDir = join(folder, 'cache');
  const server = await (async () => {
    await git(['init', '--quiet', '--bare', '--initial-branch=main', '--template=', origin]);
    await git(['-C', origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true']);
    return startGitServer(join(folder, 'origin'));
  })();
  const repositories = new GitRepositories({ cacheDir, clock: systemClock });
  try {
    const made = await measured(() => fastImport(origin, allFiles(files)));
    const repository = { url: `${server.url}/shop.git` };
    const head = async () => {
      repositories.invalidate(repository);
      return (await repositories.resolve(repository, 'main', { maxAge: 0 })).commit;
    };
    let commit = '';
    const first = await measured(async () => {
      commit = await head();
      await (await repositories.open(repository, commit)).read(pathOf(0));
    });
    const samples: Sample[] = [];
    for (let push = 1; push <= pushes; push++) {
      const path = pathOf((push * 7919) % files);
      const value = `value: ${push}\n`;
      await fastImport(origin, [beginCommit(`push ${push}`), `from ${branch}^0\n`, fileOf(path, value)]);
      const latency = await measured(async () => {
        const now = await head();
        const tree = await repositories.open(repository, now);
        const read = Buffer.from(await tree.read(path)).toString();
        const [changed, ...others] = await repositories.diff(repository, commit, now);
        if (read !== value || changed?.path !== path || others.length > 0)
          throw new Error(`Push ${push} of ${path} was read as ${read}, changed ${changed?.path}`);
        commit = now;
      });
      samples.push({ latency, memory: process.memoryUsage.rss(), disk: sizeOf(cacheDir), handles: openHandles() });
    }
    const third = Math.ceil(samples.length / 3);
    const rows = ['first', 'second', 'last'].map((name, index) => {
      const part = samples.slice(index * third, (index + 1) * third);
      const all = <K extends keyof Sample>(key: K) => part.map((sample) => sample[key]);
      return [
        `${name} third`,
        `${Math.round(median(all('latency')))} ms, ${Math.round(Math.max(...all('latency')))} ms`,
        mebibytes(median(all('memory'))),
        mebibytes(Math.max(...all('disk'))),
        String(Math.max(...all('handles'))),
      ];
    });
    return `## A repository of ${files} files, ${pushes} pushes\n\nMade in ${seconds(made)}; first fetch and read ${seconds(first)}.\n\n${markdownTable(['pushes', 'push → read: median, longest', 'memory', 'disk of the mirror, most', 'handles, most'], rows)}`;
  } finally {
    await repositories.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const pathOf = (index: number) => `team-${Math.floor(index / perFolder)}/app-${index % perFolder}.yaml`;

function* allFiles(files: number): Generator<string> {
  yield beginCommit('first');
  for (let index = 0; index < files; index++) yield fileOf(pathOf(index), `value: first ${index}\n`);
}

const beginCommit = (message: string) =>
  `commit ${branch}\ncommitter Bench <bench@example.com> 1767225600 +0000\ndata ${message.length}\n${message}\n`;

const fileOf = (path: string, content: string) => `M 100644 inline ${path}\ndata ${content.length}\n${content}\n`;

async function fastImport(repository: string, stream: Iterable<string>): Promise<void> {
  await git(['-C', repository, 'fast-import', '--quiet'], stream);
}

async function git(args: readonly string[], input: Iterable<string> = []): Promise<void> {
  const child = spawn('git', args, { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'close');
  for (const part of input) if (!child.stdin.write(part)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`);
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

/** Open files, sockets and pipes of this process; 0 where the system has no /proc. */
function openHandles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}
