import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Credentials, checkOut, parseRepositoryUrl } from '@tiphys/git';
import { invalid, unsupported } from '../model/failures.ts';
import { needed, type Settings, secretOf, text } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore } from '../model/store.ts';
import { pack } from '../transfer/pack.ts';

/** A repository, checked out: for inputs and downloads alone. */
export class GitStore implements ArtifactStore {
  readonly kind = 'git';
  readonly #settings: Settings;
  readonly #access: ArtifactAccess;
  readonly #folders: string[] = [];

  constructor(settings: Settings, access: ArtifactAccess) {
    this.#settings = settings;
    this.#access = access;
  }

  /** The checkout without its history, as a gzipped tar; it is on the disk until the store is closed. */
  async read(): Promise<Readable> {
    const folder = await mkdtemp(join(tmpdir(), 'tiphys-download-'));
    this.#folders.push(folder);
    const name = basename(needed('git', this.#settings, 'repo').replace(/(?<!\/)\/+$/, '')).replace(/\.git$/, '');
    const work = join(folder, 'work', /^[\w.-]*\w[\w.-]*$/.test(name) ? name : 'repository');
    await mkdir(dirname(work));
    await this.loadTo(work);
    await rm(join(work, '.git'), { recursive: true, force: true });
    const archive = join(folder, 'archive');
    await pack(work, archive, { kind: 'tar' });
    return createReadStream(archive);
  }

  async write(): Promise<void> {
    throw unsupported('git', 'written', 'Push in the step itself, or keep the output in another store');
  }

  async *files(): AsyncIterable<string> {}

  async remove(): Promise<void> {
    throw unsupported('git', 'removed', 'Leave artifactGC away for it');
  }

  async loadTo(path: string): Promise<void> {
    const url = needed('git', this.#settings, 'repo');
    const [revision, branch] = [text(this.#settings, 'revision'), text(this.#settings, 'branch')];
    const { singleBranch, depth, fetch, disableSubmodules } = this.#settings;
    if (singleBranch === true && !branch)
      throw invalid('git.branch', 'singleBranch is set, and no branch', 'Set git.branch, or remove singleBranch');
    if (parseRepositoryUrl(url).transport === 'local')
      throw invalid('git.repo', 'The repository is a path of this machine', 'Name a repository by https:// or SSH');
    const cacheDir = await mkdtemp(join(tmpdir(), 'tiphys-checkout-'));
    const { signal, clock } = this.#access;
    try {
      await checkOut({
        repository: { url, credentials: await this.#credentials() },
        path,
        cacheDir,
        ...(revision ? { revision } : {}),
        ...(singleBranch === true ? { branch } : {}),
        ...(Number(depth) > 0 ? { depth: Number(depth) } : {}),
        ...(Array.isArray(fetch) ? { fetch: fetch.map(String) } : {}),
        submodules: disableSubmodules !== true,
        ...(signal ? { signal } : {}),
        ...(clock ? { clock } : {}),
      });
    } finally {
      await rm(cacheDir, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    for (const folder of this.#folders.splice(0)) await rm(folder, { recursive: true, force: true });
  }

  async #credentials(): Promise<Credentials> {
    const [username, password, sshPrivateKey] = await Promise.all([
      secretOf(this.#access, this.#settings, 'usernameSecret'),
      secretOf(this.#access, this.#settings, 'passwordSecret'),
      secretOf(this.#access, this.#settings, 'sshPrivateKeySecret'),
    ]);
    const { insecureIgnoreHostKey, insecureSkipTLS } = this.#settings;
    const insecure = insecureIgnoreHostKey === true || insecureSkipTLS === true;
    const knownHosts = sshPrivateKey && !insecure ? await this.#knownHosts() : '';
    return {
      ...(username ? { username } : {}),
      ...(password ? { password } : {}),
      ...(sshPrivateKey ? { sshPrivateKey } : {}),
      ...(knownHosts ? { knownHosts } : {}),
      ...(insecure ? { insecure } : {}),
    };
  }

  /** Of the files that SSH_KNOWN_HOSTS names, else of the machine. */
  async #knownHosts(): Promise<string> {
    const { env = process.env } = this.#access;
    const files = (env['SSH_KNOWN_HOSTS'] || '/etc/ssh/ssh_known_hosts').split(':').filter(Boolean);
    const texts = await Promise.all(
      files.map((file) =>
        readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return '';
          throw error;
        }),
      ),
    );
    return texts.join('\n');
  }
}
