import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplicationSource, AppProject } from '@tiphys/api';
import {
  type ApplicationsRuntime,
  ensureControlPlane,
  inClusterServer,
  sourceDenial,
  startApplications,
} from '@tiphys/applications';
import { type ApplicationSetBackend, startApplicationSets } from '@tiphys/applicationsets';
import { type Diagnosis, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { readOutboundPolicy, setOutboundPolicy } from '@tiphys/outbound';
import { startSandbox } from '@tiphys/sandbox';
import type { Clone } from './clone.ts';

export const namespace = 'argocd';

/** Renders in this process, beside an empty cluster in memory: no controller acts, nothing is delivered. */
export interface Stage {
  readonly backend: ApplicationsRuntime['backend'];
  readonly sets: ApplicationSetBackend;
  readonly server: string;
  /** Puts projects into force, and those that are named and nowhere declared without any rule; gives the names of the latter. */
  project(declared: readonly AppProject[], named: ReadonlySet<string>): Promise<string[]>;
  /** Why the project in force does not permit a source; undefined if it does. */
  denial(project: string, source: ApplicationSource): Diagnosis | undefined;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly clone: Clone;
  /** Settings, repositories and credentials that the installation has. */
  readonly objects: readonly KubeObject[];
  readonly env: NodeJS.ProcessEnv;
  readonly onError: (message: string) => void;
}

export async function openStage({ clone, objects, env, onError: tell }: StageOptions): Promise<Stage> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const scratch = mkdtempSync(join(tmpdir(), 'tiphys-preview-'));
    closers.push(() => rmSync(scratch, { recursive: true, force: true }));
    setOutboundPolicy(readOutboundPolicy(env.TIPHYS_OUTBOUND, { loopback: true, private: true }));
    const sandbox = await startSandbox({ clock: systemClock, controllers: false, nodes: 0 });
    closers.push(() => sandbox.close());
    const client = connect(sandbox.config, { caller: { component: 'cli', purpose: 'preview' }, clock: systemClock });
    closers.push(() => client.close());
    await ensureControlPlane(client, namespace);
    for (const object of objects) await put(client, object);
    const git = new GitRepositories({
      cacheDir: join(scratch, 'git'),
      clock: systemClock,
      localRepositories: { below: [clone.folder], except: [scratch] },
      cloneOf: (url) => (clone.isOf(url) ? clone.folder : undefined),
    });
    closers.push(() => git.close());
    const abort = new AbortController();
    const onError = (key: string, error: unknown) => {
      if (!abort.signal.aborted) tell(`${key}: ${formatDiagnosis(diagnosisOf(error))}`);
    };
    const parts = { client, namespace, git, clock: systemClock, signal: abort.signal, onError, delivers: false };
    const applications = await startApplications({ ...parts, cacheDir: scratch });
    closers.push(() => applications.close());
    const { shared, backend } = applications;
    const sets = await startApplicationSets({ ...parts, shared, env });
    closers.push(() => sets.close());
    closers.push(() => abort.abort(new Error('stopped')));
    const project = async (declared: readonly AppProject[], named: ReadonlySet<string>) => {
      const byName = new Map(declared.map((each) => [each.metadata.name ?? '', each]));
      const known = (name: string) => byName.has(name) || shared.projects.get(namespace, name) !== undefined;
      const missing = [...named].filter((name) => !known(name));
      const wanted = [...byName.values(), ...missing.map(permissive)];
      for (const each of wanted) await seen(shared.projects, await put(client, each as unknown as KubeObject));
      return missing;
    };
    const denial = (name: string, source: ApplicationSource) => {
      const found = shared.projects.get(namespace, name);
      return found && sourceDenial(found, source);
    };
    return { backend, sets: sets.backend, server: inClusterServer, project, denial, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function put(client: Client, object: KubeObject): Promise<KubeObject> {
  const { status: _, metadata, ...rest } = object;
  const { name = '', labels, annotations } = metadata;
  const own = { name, namespace, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return client.apply({ ...rest, metadata: own } as KubeObject, { fieldManager: 'tiphys-preview', force: true });
}

function permissive(name: string): AppProject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
  };
}

/** Resolves when the view shows an object as it was put. */
function seen(view: ApplicationsRuntime['shared']['projects'], { metadata }: KubeObject): Promise<void> {
  const isThere = () => view.get(namespace, metadata.name ?? '')?.metadata.resourceVersion === metadata.resourceVersion;
  return new Promise((resolve) => {
    if (isThere()) return resolve();
    const stop = view.subscribe(() => {
      if (!isThere()) return;
      stop();
      resolve();
    });
  });
}
