import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../architecture.ts';
import { kubeAssets } from './kube-assets.ts';

const programs = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'kube-proxy',
  'pause',
  'tcpfwd',
  'webd',
];

/** Debian's packages that a node with containers needs, by a program or file of each. */
const packages: Readonly<Record<string, string>> = {
  '/usr/bin/containerd': 'containerd',
  '/usr/sbin/runc': 'runc',
  '/usr/lib/cni/bridge': 'containernetworking-plugins',
  '/usr/sbin/iptables': 'iptables',
  '/usr/bin/busybox': 'busybox-static',
  '/usr/sbin/conntrack': 'conntrack',
};

/** Installs what a node needs and this machine lacks, where that can be done: as root on Debian. */
export function installNodePackages(progress: (message: string) => void): void {
  const missing = Object.entries(packages).flatMap(([file, name]) => (existsSync(file) ? [] : [name]));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  progress(`Installing ${missing.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], { env, stdio: 'ignore' });
}

/**
 * Folder with the binaries of a node with containers: RC_BIN, or the cache of test/cluster/node/build.sh; else the control plane's
 * folder (kubeAssets), to which that script adds what it lacks: a few minutes once, and it needs Go.
 */
export async function nodeAssets(progress: (message: string) => void): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const given = process.env.RC_BIN || join(cache, 'realcluster', 'bin');
  if (lacking(given).length === 0) return given;
  const folder = dirname((await kubeAssets(progress)).kubectl);
  const missing = lacking(folder);
  if (missing.length === 0) return folder;
  progress(`Building ${missing.join(', ')} into ${folder}; once, a few minutes …`);
  await new Promise<void>((resolve, reject) => {
    const script = join(root, 'test', 'cluster', 'node', 'build.sh');
    const child = spawn(script, [], { env: { ...process.env, RC_BIN: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told = (told + text).slice(-8000);
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${script} ended with ${code}:\n${told}`))));
  });
  return folder;
}

const lacking = (folder: string) => programs.filter((name) => !existsSync(join(folder, name)));
