import { createHash } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from '../architecture.ts';
import { command } from './command.ts';
import type { Platform } from './platform.ts';

/** How the failure begins that says that a pinned package is gone. */
export const notServed = 'Debian does not serve';

interface BaseRecipe {
  /** Packages that the image needs, with what they depend on. */
  readonly roots: readonly string[];
  /** What they depend on and the image does not: package management, users, documentation. */
  readonly left: readonly string[];
  /** Paths of packages that are left out. */
  readonly prune: readonly string[];
}

/** A Debian package as it is pinned in `base.lock.json`. */
export interface BasePackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

type BaseLock = Record<string, BasePackage[]>;

const recipe: BaseRecipe = JSON.parse(readFileSync(join(root, 'deploy', 'image', 'base.json'), 'utf8'));
const lockFile = join(root, 'deploy', 'image', 'base.lock.json');
const readLock = (): BaseLock => JSON.parse(readFileSync(lockFile, 'utf8'));

/** Packages that the base of a platform is made of: as they are pinned, or the newest that Debian serves. */
export function basePackages(platform: Platform, { newest = false } = {}): readonly BasePackage[] {
  if (newest) return new Apt(platform).resolve();
  const packages = readLock()[platform.oci];
  if (!packages)
    throw new Error(`deploy/image/base.lock.json has no linux/${platform.oci}: run npm run image -- --lock`);
  return packages;
}

/**
 * Unpacks git, ssh, a shell for git's helpers, certificates and the libraries of these and of Node into a folder: Debian's
 * packages, each checked against its digest.
 */
export function unpackBase(platform: Platform, packages: readonly BasePackage[], target: string): void {
  const apt = new Apt(platform);
  for (const wanted of packages) command('dpkg-deb', ['-x', apt.download(wanted), target]);
  for (const path of recipe.prune) rmSync(join(target, path), { recursive: true, force: true });
  pruneDocumentation(target);
  pruneGit(target);
  writeSystemFiles(target);
}

/** Pins the newest versions that Debian serves for the platforms. */
export function lockBase(platforms: readonly Platform[]): void {
  const lock: BaseLock = {};
  for (const platform of platforms) lock[platform.oci] = new Apt(platform).resolve();
  writeFileSync(lockFile, `${JSON.stringify(lock, undefined, 2)}\n`);
}

/** apt with a state of its own, for any architecture: nothing of this machine is read but where Debian's packages are had. */
class Apt {
  readonly #folder: string;
  readonly #options: readonly string[];
  #updated = false;

  constructor({ oci }: Platform) {
    const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    this.#folder = join(cache, 'tiphys', 'image-base', oci);
    for (const part of ['lists/partial', 'archives/partial', 'debs'])
      mkdirSync(join(this.#folder, part), { recursive: true });
    writeFileSync(join(this.#folder, 'status'), '');
    this.#options = [
      `Dir::State=${this.#folder}`,
      `Dir::State::lists=${join(this.#folder, 'lists')}`,
      `Dir::State::status=${join(this.#folder, 'status')}`,
      `Dir::Cache=${this.#folder}`,
      `Dir::Cache::archives=${join(this.#folder, 'archives')}`,
      `APT::Architecture=${oci}`,
      `APT::Architectures::=${oci}`,
      'Acquire::Languages=none',
      'APT::Sandbox::User=root',
    ].flatMap((option) => ['-o', option]);
  }

  resolve(): BasePackage[] {
    this.#update();
    const plan = command('apt-get', [...this.#options, 'install', '-s', '--no-install-recommends', ...recipe.roots]);
    return [...plan.matchAll(/^Inst (\S+) \((\S+)/gm)]
      .map(([, name = '', version = '']) => ({ name: name.split(':')[0] ?? '', version }))
      .filter(({ name }) => !recipe.left.includes(name))
      .map((each) => ({ ...each, sha256: this.#digestOf(each.name, each.version) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Path of the package's file, which has the digest that is wanted. */
  download({ name, version, sha256 }: BasePackage): string {
    const folder = join(this.#folder, 'debs', sha256);
    if (readdirSync(join(this.#folder, 'debs')).includes(sha256)) return join(folder, readdirSync(folder)[0] ?? '');
    this.#update();
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    try {
      command('apt-get', [...this.#options, 'download', `${name}=${version}`], { cwd: fresh });
    } catch (error) {
      rmSync(fresh, { recursive: true });
      throw new Error(
        `${notServed} ${name} ${version} any more, which deploy/image/base.lock.json names. Take newer versions with npm run image -- --lock, and commit that`,
        { cause: error },
      );
    }
    const file = join(fresh, readdirSync(fresh)[0] ?? '');
    const found = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (found !== sha256) throw new Error(`${name} ${version} has the digest ${found}, the lock file wants ${sha256}`);
    command('mv', [fresh, folder]);
    return join(folder, readdirSync(folder)[0] ?? '');
  }

  #digestOf(name: string, version: string): string {
    const text = command('apt-cache', [...this.#options, 'show', `${name}=${version}`]);
    const digest = /^SHA256: ([0-9a-f]{64})$/m.exec(text)?.[1];
    if (!digest) throw new Error(`Debian's index has no digest of ${name} ${version}`);
    return digest;
  }

  #update(): void {
    if (this.#updated) return;
    command('apt-get', [...this.#options, 'update']);
    this.#updated = true;
  }
}

/** Licences stay, the rest of the documentation goes. */
function pruneDocumentation(target: string): void {
  for (const file of globSync('usr/share/doc/**/*', { cwd: target, withFileTypes: true }))
    if (!file.isDirectory() && file.name !== 'copyright') rmSync(join(file.parentPath, file.name));
}

/** Of git's programs, those that mirrors need: the rest is the builtin program itself, or needs Perl. */
function pruneGit(target: string): void {
  const kept = new Set(['git', 'git-remote-http', 'git-remote-https', 'git-sh-setup']);
  const folder = join(target, 'usr', 'lib', 'git-core');
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name), { recursive: true });
  rmSync(join(folder, 'git'), { force: true });
  symlinkSync('../../bin/git', join(folder, 'git'));
}

function writeSystemFiles(target: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(join(target, path, '..'), { recursive: true });
    writeFileSync(join(target, path), text);
  };
  write('etc/passwd', 'root:x:0:0:root:/root:/sbin/nologin\ntiphys:x:999:999:tiphys:/tmp:/sbin/nologin\n');
  write('etc/group', 'root:x:0:\ntiphys:x:999:\n');
  write('etc/nsswitch.conf', 'hosts: files dns\n');
  const certificates = globSync('usr/share/ca-certificates/mozilla/*.crt', { cwd: target }).sort();
  write(
    'etc/ssl/certs/ca-certificates.crt',
    certificates.map((file) => readFileSync(join(target, file), 'utf8')).join(''),
  );
  rmSync(join(target, 'bin', 'sh'), { force: true });
  symlinkSync('dash', join(target, 'bin', 'sh'));
  mkdirSync(join(target, 'tmp'), { recursive: true });
  // mkdir takes the umask off its mode, and pods without a volume for /tmp write here as another user
  chmodSync(join(target, 'tmp'), 0o1777);
}
