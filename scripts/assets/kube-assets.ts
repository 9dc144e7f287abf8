import { spawn } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Kubernetes release whose binaries are used for comparison with the sandbox. */
export const kubernetesVersion = '1.34.4';
const etcdVersion = 'v3.6.8';

const kubeCommands = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'] as const;
/** What assets for tests of Go controllers lack. */
const beyondEnvtest = ['kube-controller-manager', 'kube-scheduler'];
const commands = ['etcd', ...kubeCommands] as const;
export type KubeAssets = Record<(typeof commands)[number], string>;

/**
 * Paths of the control plane's binaries: from the folder KUBEBUILDER_ASSETS, else from the cache
 * (`${XDG_CACHE_HOME:-~/.cache}/tiphys/kubernetes/<version>`), else built into the cache from Go modules,
 * which needs `go` and takes about ten minutes once. Rejects with what is missing and how to get it.
 */
export async function kubeAssets(progress: (message: string) => void = () => {}): Promise<KubeAssets> {
  const given = process.env.KUBEBUILDER_ASSETS;
  if (given) {
    const missing = await missingIn(given);
    if (missing.length === 0) return pathsIn(given);
    if (!missing.every((name) => beyondEnvtest.includes(name))) {
      throw new Error(
        `KUBEBUILDER_ASSETS=${given} lacks ${missing.join(', ')}: add them, or unset it to have them built`,
      );
    }
    progress(`${given} has no ${missing.join(' and no ')}; using the cache instead`);
  }
  const cache = join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'tiphys',
    'kubernetes',
    kubernetesVersion,
  );
  await mkdir(cache, { recursive: true });
  if ((await missingIn(cache)).length > 0) await withLock(join(cache, '.lock'), progress, () => build(cache, progress));
  return pathsIn(cache);
}

function pathsIn(folder: string): KubeAssets {
  return Object.fromEntries(commands.map((name) => [name, join(folder, name)])) as KubeAssets;
}

async function missingIn(folder: string): Promise<string[]> {
  const found = await Promise.all(
    commands.map((name) =>
      access(join(folder, name), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return commands.filter((_, index) => !found[index]);
}

/** Runs the work while this process alone holds the lock file; a lock whose process is gone is taken over. */
async function withLock(file: string, progress: (message: string) => void, work: () => Promise<void>): Promise<void> {
  for (let told = false; ; told = true) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(String(process.pid));
      await handle.close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner && !isAlive(owner)) {
      await rm(file, { force: true });
      continue;
    }
    if (!told) progress(`process ${owner} is building Kubernetes already; waiting for it`);
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
  try {
    await work();
  } finally {
    await rm(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function build(cache: string, progress: (message: string) => void): Promise<void> {
  const missing = await missingIn(cache);
  if (missing.length === 0) return;
  await run('go', ['version'], tmpdir()).catch((error: unknown) => {
    throw new Error(
      `Kubernetes ${kubernetesVersion} (${missing.join(', ')}) is not in ${cache}, and \`go\`, which could build it, does not run: ${String(error)}\n` +
        'Install Go (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl.',
    );
  });
  progress(
    `building ${missing.join(', ')} ${kubernetesVersion} from Go modules into ${cache}; once, about ten minutes`,
  );
  const work = await mkdtemp(join(tmpdir(), 'tiphys-kube-'));
  try {
    const kube = kubeCommands.filter((name) => missing.includes(name));
    if (kube.length > 0) await buildKubernetes(join(work, 'kube'), cache, kube, progress);
    if (missing.includes('etcd')) await buildEtcd(join(work, 'etcd'), cache, progress);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function buildKubernetes(
  folder: string,
  cache: string,
  names: readonly string[],
  progress: (message: string) => void,
): Promise<void> {
  await mkdir(folder);
  const download = await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${kubernetesVersion}`], folder);
  const { GoMod } = JSON.parse(download) as { GoMod: string };
  // k8s.io/kubernetes keeps its staging modules by replace directives, which a dependent module must repeat
  const staging = new Set(
    [...(await readFile(GoMod, 'utf8')).matchAll(/^\s*(k8s\.io\/\S+) => \.\/staging/gm)].map((match) => match[1]),
  );
  const stagingVersion = kubernetesVersion.replace(/^1\./, 'v0.');
  await writeFile(
    join(folder, 'go.mod'),
    [
      'module tiphys.local/kubernetes',
      'go 1.24',
      `require k8s.io/kubernetes v${kubernetesVersion}`,
      ...[...staging].map((name) => `replace ${name} => ${name} ${stagingVersion}`),
      '',
    ].join('\n'),
  );
  const imports = names.map((name) => `import _ "k8s.io/kubernetes/cmd/${name}"`);
  await writeFile(join(folder, 'tools.go'), ['//go:build tools', '', 'package tools', ...imports, ''].join('\n'));
  await run('go', ['mod', 'tidy'], folder);
  const [major, minor] = kubernetesVersion.split('.');
  const version = 'k8s.io/component-base/version';
  const flags = `-s -w -X ${version}.gitVersion=v${kubernetesVersion} -X ${version}.gitMajor=${major} -X ${version}.gitMinor=${minor}`;
  for (const name of names) {
    progress(`building ${name}`);
    await compile(folder, cache, name, `k8s.io/kubernetes/cmd/${name}`, flags);
  }
}

async function buildEtcd(folder: string, cache: string, progress: (message: string) => void): Promise<void> {
  progress(`building etcd ${etcdVersion}`);
  await mkdir(folder);
  await writeFile(join(folder, 'go.mod'), 'module tiphys.local/etcd\n\ngo 1.24\n');
  await writeFile(
    join(folder, 'main.go'),
    'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n',
  );
  await run('go', ['get', `go.etcd.io/etcd/server/v3@${etcdVersion}`], folder);
  await run('go', ['mod', 'tidy'], folder);
  await compile(folder, cache, 'etcd', '.', '-s -w');
}

/** Builds beside the target and renames, so that a half-built binary is never found. */
async function compile(folder: string, cache: string, name: string, source: string, ldflags: string): Promise<void> {
  const target = join(cache, `.${name}.${process.pid}`);
  await run('go', ['build', '-trimpath', '-ldflags', ldflags, '-o', target, source], folder);
  await rename(target, join(cache, name));
}

function run(command: string, args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false -mod=mod' };
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-8000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stderr.trim()}`));
    });
  });
}

if (import.meta.main) {
  const assets = await kubeAssets((message) => process.stderr.write(`${message}\n`));
  for (const path of Object.values(assets)) process.stdout.write(`${path}\n`);
}
