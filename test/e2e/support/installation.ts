import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Client, connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { kubeconfigVariable } from './cluster.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The executable; as the test run packed it, if it did, because the process is started dozens of times. */
export const program = process.env.TIPHYS_TEST_PROGRAM ?? join(root, 'packages', 'serve', 'cli', 'main.ts');

/** What `tiphys up` keeps in a folder or in the cluster of the tier, however often its process is killed. */
export class Installation {
  readonly namespace: string;
  readonly #folder: string;
  readonly #kubeconfig = process.env[kubeconfigVariable];

  /** `namespace` is that of the control plane on the tier of a real API server. */
  constructor(folder: string, namespace: string) {
    this.#folder = folder;
    this.namespace = this.#kubeconfig ? namespace : 'argocd';
  }

  start(): Instance {
    const cluster = this.#kubeconfig
      ? ['--kubeconfig', this.#kubeconfig, '--namespace', this.namespace]
      : ['--data', join(this.#folder, 'data')];
    return new Instance(cluster, this.#folder);
  }

  /** A client of the cluster; that of the sandbox answers only while an instance is up. */
  client(): Client {
    const file = this.#kubeconfig ?? join(this.#folder, 'data', 'kubeconfig');
    return connect(loadKubeconfig(readFileSync(file, 'utf8'), { file, baseDir: dirname(file) }), {
      caller: { component: 'test', purpose: 'look' },
      clock: systemClock,
    });
  }
}

/** One process. */
class Instance {
  readonly #child: ChildProcess;
  readonly up: Promise<void>;
  readonly #exit: Promise<unknown>;

  constructor(cluster: readonly string[], folder: string) {
    this.#child = spawn(
      process.execPath,
      [program, 'up', '--port', '0', '--no-example', '--local-repositories', tmpdir(), ...cluster],
      {
        cwd: folder,
        env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let text = '';
    this.#exit = new Promise((resolve) => this.#child.on('exit', resolve));
    this.up = new Promise((resolve, reject) => {
      for (const stream of [this.#child.stdout, this.#child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.includes('Tiphys is up')) resolve();
        });
      void this.#exit.then((code) => reject(new Error(`It ended with ${code} before it was up:\n${text}`)));
    });
    this.up.catch(() => undefined);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }
}
