import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect as dial } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '../../scripts/testing/free-ports.ts';
import { residentMemory } from '../process.ts';

/**
 * Argo CD's own processes and the Redis that they need, on random ports of loopback. PATH must have `argocd`, `redis-server`,
 * and from the folder `hack` of Argo CD's sources `gpg-wrapper.sh` and `git-verify-wrapper.sh`, as its image has. The cluster must have its CRDs, its ConfigMaps and `argocd-secret` in the namespace `argocd`.
 */
export class ArgocdProcesses {
  readonly #children: { name: string; child: ChildProcess }[] = [];
  readonly #folder: string;
  readonly #failed = Promise.withResolvers<never>();
  #stopping = false;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#failed.promise.catch(() => undefined);
  }

  /** Undefined where PATH lacks one of them. */
  static version(): string | undefined {
    try {
      for (const name of ['redis-server', 'gpg-wrapper.sh', 'git-verify-wrapper.sh'])
        execFileSync('sh', ['-c', 'command -v "$0"', name], { stdio: 'ignore' });
      return execFileSync('argocd', ['version', '--client', '--short'], { encoding: 'utf8' }).trim().split(': ').at(-1);
    } catch {
      return undefined;
    }
  }

  /** Resolves when its ports answer; rejects with the end of the log of the process that ended. */
  static async start(kubeconfig: string, folder: string): Promise<ArgocdProcesses> {
    const argocd = new ArgocdProcesses(folder);
    const ports = await freePorts(12);
    const [redis, repo, commit, api] = ports as [number, number, number, number];
    for (const name of ['tls', 'ssh', 'gpg', 'plugin', 'home']) mkdirSync(join(folder, name), { recursive: true });
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: join(folder, 'home'),
      KUBECONFIG: kubeconfig,
      ARGOCD_FAKE_IN_CLUSTER: 'true',
      ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
      ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
      ARGOCD_GPG_DATA_PATH: join(folder, 'gpg'),
      ARGOCD_GNUPGHOME: join(folder, 'gpg'),
      ARGOCD_PLUGINSOCKFILEPATH: join(folder, 'plugin'),
    };
    const inMemory = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--port', `${redis}`];
    argocd.#spawn('redis', 'redis-server', inMemory, env);
    for (const [name, flags] of Object.entries(
      components(ports, ['--kubeconfig', kubeconfig, '--namespace', 'argocd']),
    ))
      argocd.#spawn(name, 'argocd', ['--loglevel', 'warn', ...flags], { ...env, ARGOCD_BINARY_NAME: name });
    try {
      for (const port of [redis, repo, commit, api]) await Promise.race([argocd.#answers(port), argocd.failed]);
    } catch (error) {
      await argocd.stop();
      throw error;
    }
    return argocd;
  }

  /** Rejects with the end of its log when one of them ends by itself. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** How many processes there are. */
  get count(): number {
    return this.#children.length;
  }

  /** Resident memory of all of them, in bytes. */
  memory(): number {
    return this.#children.reduce((sum, { child }) => sum + residentMemory(child.pid as number), 0);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const running = this.#children.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    const ended = running.map(({ child }) => new Promise<void>((resolve) => child.once('exit', () => resolve())));
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(ended);
  }

  #spawn(name: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const child = spawn(command, args, { cwd: this.#folder, env, stdio: ['ignore', log, log] });
    closeSync(log);
    child.once('exit', (code) => {
      if (this.#stopping) return;
      const text = readFileSync(join(this.#folder, `${name}.log`), 'utf8');
      this.#failed.reject(new Error(`${name} ended with ${code}:\n${text.slice(-2000)}`));
    });
    this.#children.push({ name, child });
  }

  async #answers(port: number): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      if (await listens(port)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`nothing of Argo CD answers on port ${port} after a minute; its logs are in ${this.#folder}`);
  }
}

/** The names that the argocd binary answers to, each with its flags. Takes twelve ports, and `--kubeconfig` and the like. */
function components(ports: readonly number[], cluster: readonly string[]): Record<string, string[]> {
  const port = (index: number) => String(ports[index]);
  const address = (index: number) => `127.0.0.1:${port(index)}`;
  const [redis, repo, commit] = [address(0), address(1), address(2)];
  const loopback = ['--address', '127.0.0.1'];
  return {
    'argocd-repo-server': [...loopback, '--port', port(1), '--metrics-port', port(4), '--redis', redis],
    'argocd-commit-server': [...loopback, '--port', port(2), '--metrics-port', port(5)],
    'argocd-application-controller': [
      ...[...cluster, '--redis', redis, '--repo-server', repo],
      ...['--commit-server', commit, '--metrics-port', port(6)],
    ],
    'argocd-server': [
      ...[...cluster, ...loopback, '--redis', redis, '--repo-server', repo],
      ...['--insecure', '--port', port(3), '--metrics-port', port(7)],
    ],
    'argocd-applicationset-controller': [
      ...[...cluster, '--argocd-repo-server', repo],
      ...['--metrics-addr', address(8), '--probe-addr', address(9), '--webhook-addr', address(10)],
    ],
    'argocd-notifications': [...cluster, '--argocd-repo-server', repo, '--metrics-port', port(11)],
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
