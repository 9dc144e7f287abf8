import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Container, Pod } from '@tiphys/kube-controllers';
import { type Client, type Clock, formatKubeconfig } from '@tiphys/kubernetes';
import type { ContainerProcess, ContainerRuntime } from '@tiphys/nodes';
import { containerEnvironment, expandVariables } from './container-environment.ts';
import { LocalProcess, type Prepared } from './local-process.ts';
import { MountPaths } from './mount-paths.ts';
import { mountVolumes } from './pod-volumes.ts';
import { ProcessWatchdog } from './process-watchdog.ts';

/** On a pod (or its template): `simulated` keeps its containers from being run as processes. */
const runtimeAnnotation = 'sandbox.tiphys.dev/runtime';

export interface ProcessRuntimeOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Keeps pods' files and claims; a temporary one, removed at the end, if absent. */
  readonly folder?: string;
  /** How processes reach the API server. */
  readonly server: { readonly url: string; readonly ca: string };
}

/**
 * Runs the commands of containers as processes of this machine, with the rights of this process: not isolated, and only
 * for what you would run yourself. Containers without `command` stay simulated, for there is no image to run.
 */
export class ProcessRuntime implements ContainerRuntime {
  readonly #options: ProcessRuntimeOptions;
  readonly #folder: string;
  readonly #watchdog: ProcessWatchdog;
  readonly #processes = new Map<string, Set<LocalProcess>>();

  constructor(options: ProcessRuntimeOptions) {
    if (process.platform === 'win32')
      throw new Error('The process runtime needs process groups, which Windows has not: use WSL, or simulated pods');
    this.#options = options;
    this.#folder = options.folder ?? mkdtempSync(join(tmpdir(), 'tiphys-pods-'));
    rmSync(join(this.#folder, 'pods'), { recursive: true, force: true });
    this.#watchdog = new ProcessWatchdog(options.folder ? undefined : this.#folder);
  }

  runs(pod: Pod, { command = [] }: Container): boolean {
    return command.length > 0 && pod.metadata.annotations?.[runtimeAnnotation] !== 'simulated';
  }

  start(pod: Pod, container: Container, changed: () => void): ContainerProcess {
    const { uid = '' } = pod.metadata;
    const local = new LocalProcess({
      prepared: this.#prepare(pod, container),
      clock: this.#options.clock,
      watchdog: this.#watchdog,
      stdin: container.stdin ?? false,
      stdinOnce: container.stdinOnce ?? false,
      tty: container.tty ?? false,
      changed,
    });
    const known = this.#processes.get(uid) ?? new Set();
    this.#processes.set(uid, known.add(local));
    void local.ended.then(() => known.delete(local));
    return local;
  }

  forget(uid: string): void {
    for (const process of this.#processes.get(uid) ?? []) process.kill();
    this.#processes.delete(uid);
    rmSync(join(this.#folder, 'pods', uid), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Ends all processes and resolves when they are gone. */
  async close(): Promise<void> {
    const all = [...this.#processes.values()].flatMap((processes) => [...processes]);
    for (const process of all) process.kill();
    await Promise.all(all.map(({ ended }) => ended));
    await this.#watchdog.close();
  }

  /** Writes the files that the container mounts and works out what is to be run; throws what keeps it from starting. */
  async #prepare(pod: Pod, container: Container): Promise<Prepared> {
    const { client } = this.#options;
    const folder = join(this.#folder, 'pods', pod.metadata.uid ?? '');
    const root = join(folder, 'containers', container.name);
    const paths = new MountPaths(root, container);
    mkdirSync(root, { recursive: true });
    await mountVolumes(pod, container, root, { client, folder, claims: join(this.#folder, 'claims') });
    const own = await containerEnvironment(client, pod, container);
    const rewritten = Object.entries(own).map(([name, value]) => [name, paths.map(value)]);
    // its surroundings are of this machine already, perhaps below a path that the container mounts, such as /tmp
    const mapped: Record<string, string> = { ...this.#surroundings(pod, root), ...Object.fromEntries(rewritten) };
    const words = [...(container.command ?? []), ...(container.args ?? [])].map((word) =>
      paths.map(expandVariables(word, own)),
    );
    findProgram(words[0] ?? '', mapped.PATH ?? '');
    return { command: words, cwd: workingFolder(container, paths), env: mapped, paths };
  }

  #surroundings(pod: Pod, root: string): Record<string, string> {
    const { url, ca } = this.#options.server;
    const { hostname, port } = new URL(url);
    const tokenFile = join(root, 'var/run/secrets/kubernetes.io/serviceaccount/token');
    const kubeconfig = join(root, '.kubeconfig');
    const reaches = existsSync(tokenFile);
    if (reaches)
      writeFileSync(
        kubeconfig,
        formatKubeconfig({
          server: url,
          name: 'sandbox',
          tls: { ca },
          tokenFile,
          namespace: pod.metadata.namespace ?? '',
        }),
        { mode: 0o600 },
      );
    return {
      PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: root,
      HOSTNAME: pod.spec.hostname ?? pod.metadata.name ?? '',
      CONTAINER_ROOT: root,
      KUBERNETES_SERVICE_HOST: hostname.replace(/^\[|\]$/g, ''),
      KUBERNETES_SERVICE_PORT: port,
      KUBERNETES_SERVICE_PORT_HTTPS: port,
      ...(reaches ? { KUBECONFIG: kubeconfig } : {}),
    };
  }
}

/** `workingDir` below the root where it is mounted or this machine has no such folder; the root without one. */
function workingFolder({ workingDir }: Container, paths: MountPaths): string {
  if (!workingDir) return paths.root;
  if (paths.isMounted(workingDir)) return paths.map(workingDir);
  if (existsSync(workingDir) && statSync(workingDir).isDirectory()) return workingDir;
  const folder = paths.inside(workingDir);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Throws what a container runtime says of a program that there is not. */
function findProgram(program: string, path: string): void {
  const places = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  if (places.some(isExecutable)) return;
  const why = program.includes('/')
    ? `stat ${program}: no such file or directory`
    : 'executable file not found in $PATH';
  throw new Error(
    `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: ${JSON.stringify(program)}: ${why}: unknown`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(code)) return false;
    throw error;
  }
}
