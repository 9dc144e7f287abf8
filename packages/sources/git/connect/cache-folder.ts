import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder } from '@tiphys/files';

/**
 * What git reads instead of the user's configuration. `safe.directory`: local repositories may belong to somebody else;
 * nothing that their configuration says is executed by what we run. Redirects would carry credentials to other hosts.
 */
const gitConfig = `[safe]
	directory = *
[protocol]
	allow = never
[protocol "file"]
	allow = always
[protocol "http"]
	allow = always
[protocol "https"]
	allow = always
[protocol "ssh"]
	allow = always
[protocol "git"]
	allow = always
[protocol]
	version = 2
[credential]
	helper =
[core]
	hooksPath = /dev/null
	fsmonitor = false
	askPass =
[http]
	followRedirects = false
	lowSpeedLimit = 1
[gc]
	auto = 0
[fetch]
	fsckObjects = false
	writeCommitGraph = false
[receive]
	autogc = false
[maintenance]
	auto = false
[submodule]
	recurse = false
[advice]
	detachedHead = false
`;

// Secrets come through the environment: neither arguments nor files show them.
const askPass = `#!/bin/sh
case "$1" in
Username*) printf '%s\\n' "$TIPHYS_GIT_USERNAME" ;;
*) printf '%s\\n' "$TIPHYS_GIT_PASSWORD" ;;
esac
`;

// git hands host and command as arguments; every value of ours is one quoted word.
const ssh = `#!/bin/sh
if [ -n "$TIPHYS_SSH_PROXY" ]; then
  set -- -o 'ProxyCommand="$TIPHYS_NODE" "$TIPHYS_SSH_PROXY_COMMAND" %h %p' "$@"
fi
if [ -n "$TIPHYS_SSH_ADDRESS" ]; then
  set -- -o "HostName=$TIPHYS_SSH_ADDRESS" -o "HostKeyAlias=$TIPHYS_SSH_ALIAS" -o CheckHostIP=no "$@"
fi
exec ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o "IdentityFile=$TIPHYS_SSH_KEY" \\
  -o "UserKnownHostsFile=$TIPHYS_SSH_KNOWN_HOSTS" -o GlobalKnownHostsFile=/dev/null \\
  -o "StrictHostKeyChecking=$TIPHYS_SSH_STRICT" -o UpdateHostKeys=no -o PasswordAuthentication=no -o ConnectTimeout=15 \\
  -o ServerAliveInterval=10 -o ServerAliveCountMax=3 -o PermitLocalCommand=no -o ForwardAgent=no "$@"
`;

/**
 * The part of a cache folder that one process owns: `<cacheDir>/<n>`, where n is the first slot whose owner is gone.
 * Several processes may share a cache folder; one process opens it once.
 */
export class CacheFolder {
  readonly path: string;
  readonly config: string;
  readonly askPass: string;
  readonly ssh: string;
  readonly mirrors: string;
  readonly #secrets: string;
  #files = 0;

  constructor(cacheDir: string) {
    this.path = claim(cacheDir);
    this.config = join(this.path, 'gitconfig');
    this.askPass = join(this.path, 'askpass');
    this.ssh = join(this.path, 'ssh');
    this.mirrors = join(this.path, 'mirrors');
    this.#secrets = join(this.path, 'secrets');
    rmSync(this.#secrets, { recursive: true, force: true });
    this.ensure();
  }

  /** Makes the folder again where somebody deleted it. */
  ensure(): void {
    mkdirSync(this.mirrors, { recursive: true, mode: 0o700 });
    mkdirSync(this.#secrets, { recursive: true, mode: 0o700 });
    writeOnce(this.config, gitConfig, 0o600);
    writeOnce(this.askPass, askPass, 0o700);
    writeOnce(this.ssh, ssh, 0o700);
  }

  /** Writes a file that only this user can read, for programs that take a secret as a file; `remove` when done. */
  writeSecret(content: string): { path: string; remove(): void } {
    this.ensure();
    this.#files += 1;
    const path = join(this.#secrets, `${process.pid}-${this.#files}`);
    writeFileSync(path, content.endsWith('\n') ? content : `${content}\n`, { mode: 0o600 });
    return { path, remove: () => rmSync(path, { force: true }) };
  }

  release(): void {
    rmSync(join(this.path, 'owner'), { force: true });
  }
}

function writeOnce(path: string, content: string, mode: number): void {
  try {
    if (readFileSync(path, 'utf8') === content) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  writeFileSync(path, content, { mode });
  chmodSync(path, mode);
}

function claim(cacheDir: string): string {
  for (let slot = 0; ; slot += 1) {
    const path = join(cacheDir, String(slot));
    privateFolder(path);
    if (takeOwnership(join(path, 'owner'))) return path;
  }
}

function takeOwnership(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const owner = Number(readFileSync(file, 'utf8'));
  // Our own number is that of an earlier process: in a container it is always the same.
  if (owner !== process.pid && isAlive(owner)) return false;
  writeFileSync(file, String(process.pid));
  return true;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
