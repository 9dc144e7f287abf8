import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { systemClock } from '@tiphys/kubernetes';
import { ended } from './contender.ts';

/** Address of this process as peers see it. */
export const bridgeAddress = '10.203.0.1';
const bridge = 'peers';

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:1' } }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: '' } }],
  'current-context': 'none',
});

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Makes the bridge that peers hang on; the calling process has a network of its own. */
export function makeBridge(): void {
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('addr', 'add', `${bridgeAddress}/16`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
}

/**
 * A program with a network address and a /tmp of its own, as a pod has: two on one address would take each other's ports, and find each other's
 * files.
 */
export class PeerProcess {
  readonly address: string;
  readonly #child: ChildProcess;
  #output = '';

  private constructor(address: string, child: ChildProcess) {
    this.address = address;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-4000);
      });
  }

  /**
   * Starts the program; `index` is its own among those of the bridge. It finds a cluster by `KUBECONFIG`, and nobody at its address: peers want to
   * know of one though they need none.
   */
  static async start(
    index: number,
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<PeerProcess> {
    const address = `10.203.${1 + Math.floor(index / 200)}.${1 + (index % 200)}`;
    // the program is opened before /tmp is covered, since it may be there
    const begin = [
      'exec 9<"$(command -v "$0")" && mount -t tmpfs tmpfs /tmp',
      `echo '${kubeconfig}' > /tmp/kubeconfig && echo apart && read -r _`,
      `ip link set lo up && ip addr add ${address}/16 dev eth0 && ip link set eth0 up`,
      'exec /proc/self/fd/9 "$@"',
    ].join(' && ');
    const child = spawn('unshare', ['-n', '-m', 'sh', '-c', begin, command, ...args], {
      cwd: '/',
      env: { PATH: process.env.PATH, KUBECONFIG: '/tmp/kubeconfig', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const peer = new PeerProcess(address, child);
    await peer.#printed('apart');
    ip('link', 'add', `peer${index}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(peer.pid));
    ip('link', 'set', `peer${index}`, 'master', bridge, 'up');
    child.stdin?.end('go\n');
    return peer;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Resolves when it takes connections on a port. */
  async hears(port: number): Promise<void> {
    while (!(await this.#takes(port))) {
      this.#mustRun();
      await systemClock.sleep(200);
    }
  }

  stop(): Promise<void> {
    return ended(this.#child);
  }

  async #printed(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      this.#mustRun();
      await systemClock.sleep(20);
    }
  }

  #mustRun(): void {
    if (this.#child.exitCode !== null) throw new Error(`It ended with ${this.#child.exitCode}: ${this.#output}`);
  }

  #takes(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(port, this.address);
      const told = (heard: boolean) => () => {
        socket.destroy();
        resolve(heard);
      };
      socket.once('connect', told(true)).once('error', told(false)).setTimeout(2000, told(false));
    });
  }
}
