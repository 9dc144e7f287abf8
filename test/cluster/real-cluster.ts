import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { root } from '../../scripts/architecture.ts';

/** Scripts that bring up a node with containers on this machine: build.sh, images.sh, realcluster.sh. */
const folder = process.env.TIPHYS_REALCLUSTER || join(import.meta.dirname, 'node');
const script = join(folder, 'realcluster.sh');
const binaries = process.env.RC_BIN ?? '';

/** Why these tests are left out; false if they run. */
export const skip: string | false = process.env.TIPHYS_CLUSTER_IMAGE ? false : 'npm run test:cluster runs them';
/** The same for what the gate has no time for. */
export const long: string | false = skip || (process.env.TIPHYS_CLUSTER_SHORT ? 'not in the short form' : false);

/** Address of this machine as the node's pods see it. */
export const hostAddress = '10.201.0.1';

/** A cluster of one real node, apart from any other on this machine. */
export class RealCluster {
  readonly #env: NodeJS.ProcessEnv;
  readonly kubeconfig: string;

  constructor() {
    const state = mkdtempSync(join(tmpdir(), 'tiphys-node-'));
    this.kubeconfig = join(state, 'admin.kubeconfig');
    this.#env = {
      ...process.env,
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
      RC_DIR: state,
      RC_LIB: join('/var/lib', state.slice(tmpdir().length + 1)),
      RC_CGROUP: `/${state.slice(tmpdir().length + 1)}`,
      RC_API_PORT: '17443',
      RC_ETCD_PORT: '17379',
      RC_ETCD_PEER_PORT: '17380',
      RC_KCM_PORT: '17257',
      RC_SCHED_PORT: '17259',
    };
  }

  async up(): Promise<void> {
    mkdirSync(join(String(this.#env.RC_DIR), 'images'), { recursive: true });
    await this.#run(join(folder, 'images.sh'), []);
    await this.#run(script, ['up']);
  }

  load(archive: string): Promise<string> {
    return this.#run(script, ['load', archive]);
  }

  /** Gives the small web server of the tests further names, for pods whose images are not to be had here. */
  async loadWebServerAs(names: readonly string[]): Promise<void> {
    const archive = join(String(this.#env.RC_DIR), 'web-server-renamed.tar');
    const server = ['--busybox', '--file', `${join(binaries, 'webd')}:/webd:755`, '--entry', '/webd'];
    await this.#run('python3', [join(folder, 'mkimage.py'), archive, names.join(','), ...server]);
    await this.load(archive);
  }

  kubectl(...args: string[]): Promise<string> {
    return this.#run(join(binaries, 'kubectl'), ['--kubeconfig', this.kubeconfig, ...args]);
  }

  client(): Client {
    const config = loadKubeconfig(readFileSync(this.kubeconfig, 'utf8'), { file: this.kubeconfig, baseDir: '/' });
    return connect(config, { caller: { component: 'test', purpose: 'cluster' }, clock: systemClock });
  }

  async down(): Promise<void> {
    await this.#run(script, ['reset']);
    rmSync(String(this.#env.RC_DIR), { recursive: true, force: true });
  }

  #run(program: string, args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(program, args, { env: this.#env, cwd: root, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
        error
          ? reject(new Error(`${program} ${args.join(' ')}: ${stderr || stdout || error.message}`))
          : resolve(stdout),
      );
    });
  }
}

/** A repository that the node's pods read by git's own protocol. */
export class ServedRepository {
  readonly #server: GitServer;
  readonly #folder: string;
  readonly url: string;

  constructor(server: GitServer, name: string) {
    this.#server = server;
    this.#folder = join(server.folder, name);
    this.url = `git://${hostAddress}:${gitPort}/${name}`;
  }

  /** The commit's hash. */
  async commit(files: Readonly<Record<string, string>>): Promise<string> {
    const git = (...args: string[]) => this.#server.git(this.#folder, args);
    if (!existsSync(this.#folder)) {
      mkdirSync(this.#folder);
      await git('init', '-q', '-b', 'main');
      writeFileSync(join(this.#folder, '.git', 'git-daemon-export-ok'), '');
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#folder, name), text);
    await git('add', '-A');
    await git('commit', '-qm', 'change');
    return (await git('rev-parse', 'HEAD')).trim();
  }
}

const gitPort = 19418;

/** Serves repositories to the node's pods. */
export class GitServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'tiphys-served-'));
  #daemon: ReturnType<typeof spawn> | undefined;

  git(cwd: string, args: readonly string[]): Promise<string> {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    return new Promise((resolve, reject) =>
      execFile('git', [...identity, ...args], { cwd }, (error, stdout) => (error ? reject(error) : resolve(stdout))),
    );
  }

  /** An empty repository that may be pushed to; its URL. */
  async open(name: string): Promise<string> {
    const repository = join(this.folder, name);
    await this.git(this.folder, ['init', '-q', '--bare', '-b', 'master', repository]);
    await this.git(repository, ['config', 'daemon.receivepack', 'true']);
    writeFileSync(join(repository, 'git-daemon-export-ok'), '');
    return `git://${hostAddress}:${gitPort}/${name}`;
  }

  serve(): void {
    const flags = [`--listen=${hostAddress}`, `--port=${gitPort}`, '--reuseaddr', `--base-path=${this.folder}`];
    this.#daemon = spawn('git', ['daemon', ...flags], { stdio: 'ignore' });
  }

  close(): void {
    this.#daemon?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
