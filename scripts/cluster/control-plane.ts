import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterConfig, connect, formatKubeconfig } from '@tiphys/kubernetes';
import forge from 'node-forge';
import { type KubeAssets, kubeAssets } from '../assets/kube-assets.ts';
import { freePort, freePorts } from '../testing/free-ports.ts';

export interface ControlPlane {
  /** The administrator's access (system:masters). */
  config: ClusterConfig;
  kubeconfig: string;
  assets: KubeAssets;
  /** Where the logs of the processes are. */
  folder: string;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** Run kube-controller-manager; true if absent. */
  controllers?: boolean;
  /** Further arguments of kube-apiserver. */
  apiServerArgs?: string[];
  progress?: (message: string) => void;
}

/**
 * Starts a real etcd, kube-apiserver and kube-controller-manager on loopback with random ports, in a temporary folder
 * that `stop` removes. The processes end with this one, however it ends. Rejects with the last log lines when one fails.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const assets = await kubeAssets(options.progress);
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-control-plane-'));
  const processes = new ProcessGroup(folder);
  try {
    const [etcdPort, peerPort, apiPort, managerPort] = (await freePorts(4)) as [number, number, number, number];
    const files = await writeCredentials(folder);
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    processes.start('etcd', assets.etcd, [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ]);
    processes.start('kube-apiserver', assets['kube-apiserver'], [
      ...apiServerArgs(etcdUrl, apiPort, files),
      ...(options.apiServerArgs ?? []),
    ]);
    const config: ClusterConfig = {
      server: `https://127.0.0.1:${apiPort}`,
      name: 'control-plane',
      tls: { ca: files.caText },
      bearerToken: files.token,
    };
    await untilReady(config, processes);
    const kubeconfig = formatKubeconfig(config);
    const kubeconfigFile = join(folder, 'kubeconfig');
    await writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });
    if (options.controllers ?? true) {
      processes.start(
        'kube-controller-manager',
        assets['kube-controller-manager'],
        managerArgs(kubeconfigFile, managerPort, files),
      );
      await untilServiceAccount(config, processes);
    }
    return { config, kubeconfig, assets, folder, stop: () => processes.stop() };
  } catch (error) {
    const logs = await processes.tails();
    await processes.stop();
    throw new Error(
      `The control plane did not start: ${error instanceof Error ? error.message : String(error)}\n${logs}`,
      { cause: error },
    );
  }
}

/**
 * Starts a real kube-controller-manager for the cluster of a kubeconfig, for one that has none. It ends with this process,
 * however that ends.
 */
export async function startControllerManager(kubeconfig: string): Promise<{ stop(): Promise<void>; folder: string }> {
  const assets = await kubeAssets();
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-controller-manager-'));
  const processes = new ProcessGroup(folder);
  const port = await freePort();
  const files = await writeCredentials(folder);
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig, { mode: 0o600 });
  processes.start('kube-controller-manager', assets['kube-controller-manager'], managerArgs(file, port, files));
  return { folder, stop: () => processes.stop() };
}

/** Starts a real kube-scheduler for the cluster of a kubeconfig, for one that has none. It ends with this process. */
export async function startKubeScheduler(kubeconfig: string): Promise<{ stop(): Promise<void>; folder: string }> {
  const assets = await kubeAssets();
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-scheduler-'));
  const processes = new ProcessGroup(folder);
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig, { mode: 0o600 });
  processes.start('kube-scheduler', assets['kube-scheduler'], [
    ...['', 'authentication-', 'authorization-'].map((use) => `--${use}kubeconfig=${file}`),
    '--secure-port=0',
  ]);
  return { folder, stop: () => processes.stop() };
}

interface Credentials {
  folder: string;
  caText: string;
  token: string;
}

function apiServerArgs(etcdUrl: string, port: number, { folder }: Credentials): string[] {
  const file = (name: string) => join(folder, name);
  return [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // the Endpoints of the service `kubernetes` cannot be loopback
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${file('server.crt')}`,
    `--tls-private-key-file=${file('server.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('service-account.pub')}`,
    `--service-account-signing-key-file=${file('service-account.key')}`,
    `--requestheader-client-ca-file=${file('ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--kubelet-client-certificate=${file('kubelet-client.crt')}`,
    `--kubelet-client-key=${file('kubelet-client.key')}`,
    `--proxy-client-cert-file=${file('front-proxy.crt')}`,
    `--proxy-client-key-file=${file('front-proxy.key')}`,
    '--allow-privileged',
    '--v=1',
  ];
}

function managerArgs(kubeconfig: string, port: number, { folder }: Credentials): string[] {
  const file = (name: string) => join(folder, name);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${file('manager')}`,
    '--leader-elect=false',
    '--use-service-account-credentials',
    `--service-account-private-key-file=${file('service-account.key')}`,
    `--root-ca-file=${file('ca.crt')}`,
    `--cluster-signing-cert-file=${file('ca.crt')}`,
    `--cluster-signing-key-file=${file('ca.key')}`,
    '--v=1',
  ];
}

/** Waits for /readyz. The one place that must poll: a starting server has nothing to watch. */
async function untilReady(config: ClusterConfig, processes: ProcessGroup): Promise<void> {
  const client = connect(config, { caller: { component: 'control-plane', purpose: 'start' } });
  try {
    await poll(processes, async () => (await client.request('GET', '/readyz')).status === 200);
  } finally {
    await client.close();
  }
}

async function untilServiceAccount(config: ClusterConfig, processes: ProcessGroup): Promise<void> {
  const client = connect(config, { caller: { component: 'control-plane', purpose: 'start' } });
  const ref = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'default' };
  try {
    await poll(processes, async () => (await client.find(ref)) !== undefined);
  } finally {
    await client.close();
  }
}

async function poll(processes: ProcessGroup, ready: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  let last: unknown;
  while (Date.now() < deadline) {
    if (processes.ended) throw new Error(processes.ended);
    try {
      if (await ready()) return;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not ready after two minutes: ${last instanceof Error ? last.message : String(last)}`);
}

/** A CA with the server's and the aggregator's certificates, the key of service accounts, and the administrator's token. */
async function writeCredentials(folder: string): Promise<Credentials> {
  const write = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 });
  const ca = issue('tiphys-test-ca', undefined, []);
  const server = issue('kube-apiserver', ca, [
    { type: 7, ip: '127.0.0.1' },
    { type: 2, value: 'localhost' },
  ]);
  const proxy = issue('front-proxy-client', ca, []);
  const kubelet = issue('kube-apiserver-kubelet-client', ca, [], 'system:masters');
  const accounts = rsaKey();
  const token = randomBytes(24).toString('hex');
  await Promise.all([
    write('ca.crt', ca.cert),
    write('ca.key', ca.key),
    write('server.crt', server.cert),
    write('server.key', server.key),
    write('front-proxy.crt', proxy.cert),
    write('front-proxy.key', proxy.key),
    write('kubelet-client.crt', kubelet.cert),
    write('kubelet-client.key', kubelet.key),
    write('service-account.key', accounts.privateKey),
    write('service-account.pub', accounts.publicKey),
    write('tokens.csv', `${token},admin,admin,"system:masters"\n`),
  ]);
  return { folder, caText: ca.cert, token };
}

interface Issued {
  cert: string;
  key: string;
}

function rsaKey(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
}

function issue(commonName: string, ca: Issued | undefined, altNames: object[], organization?: string): Issued {
  const key = rsaKey();
  const cert = forge.pki.createCertificate();
  cert.publicKey = forge.pki.publicKeyFromPem(key.publicKey);
  cert.serialNumber = `01${randomBytes(8).toString('hex')}`;
  cert.validity.notBefore = new Date(Date.now() - 3600_000);
  cert.validity.notAfter = new Date(Date.now() + 30 * 86400_000);
  cert.setSubject([
    ...(organization ? [{ name: 'organizationName', value: organization }] : []),
    { name: 'commonName', value: commonName },
  ]);
  cert.setIssuer(ca ? forge.pki.certificateFromPem(ca.cert).subject.attributes : cert.subject.attributes);
  cert.setExtensions([
    { name: 'basicConstraints', cA: !ca, critical: true },
    ca
      ? { name: 'extKeyUsage', serverAuth: true, clientAuth: true }
      : { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ...(altNames.length > 0 ? [{ name: 'subjectAltName', altNames }] : []),
  ]);
  cert.sign(forge.pki.privateKeyFromPem(ca?.key ?? key.privateKey), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(cert), key: key.privateKey };
}

/** The shell ends the command as soon as its standard input closes, which the death of this process does, even by SIGKILL. */
const leash =
  'exec 3<&0; "$@" 3<&- </dev/null & child=$!; (cat <&3 >/dev/null; kill -9 "$child" 2>/dev/null) & wait "$child"';

class ProcessGroup {
  readonly #folder: string;
  readonly #children: { name: string; child: ChildProcess; closed: Promise<unknown> }[] = [];
  /** What ended on its own, if anything did. */
  ended: string | undefined;
  #stopping = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  start(name: string, command: string, args: string[]): void {
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const child = spawn('/bin/sh', ['-c', leash, 'sh', command, ...args], {
      stdio: ['pipe', log, log],
      cwd: this.#folder,
    });
    closeSync(log);
    child.stdin?.on('error', () => child.kill());
    const closed = new Promise((resolve) => {
      child.once('exit', (code) => {
        if (!this.#stopping) this.ended ??= `${name} ended with ${code}`;
        child.stdin?.destroy();
        resolve(code);
      });
    });
    this.#children.push({ name, child, closed });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    // the reverse of the start, so that nobody logs that its server is gone
    for (const { child, closed } of this.#children.toReversed()) {
      child.stdin?.end();
      await closed;
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  /** The last lines of every log. */
  async tails(): Promise<string> {
    const parts = this.#children.map(async ({ name }) => {
      const text = await readFile(join(this.#folder, `${name}.log`), 'utf8');
      return `--- ${name}\n${text.trimEnd().split('\n').slice(-15).join('\n')}`;
    });
    return (await Promise.all(parts)).join('\n');
  }
}

if (import.meta.main) {
  const plane = await startControlPlane({ progress: (message) => process.stderr.write(`${message}\n`) });
  process.stdout.write(`${plane.kubeconfig}`);
  process.stderr.write(`logs in ${plane.folder}; end with Ctrl-C\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void plane.stop().then(() => process.exit(0)));
  }
}
