import { workflowNames } from '@tiphys/api';
import { type Client, isNotFound } from '@tiphys/kubernetes';
import {
  type ConfigMap,
  type Facts,
  type GCTask,
  MissingFact,
  type SharedLockAnswer,
  type Wanted,
} from '../machine/index.ts';
import type { Pod, Workflow } from '../model/types.ts';
import type { Surroundings } from './surroundings.ts';

/** What one decision was told of, so that a second look in the same pass is the same. */
export class PassFacts {
  readonly #surroundings: Surroundings;
  readonly #configMaps = new Map<string, ConfigMap | undefined>();
  readonly #gcTasks = new Map<string, readonly GCTask[]>();
  readonly #sharedLocks = new Map<string, SharedLockAnswer>();
  readonly podFailures = new Map<string, { message: string; isTransient: boolean }>();
  readonly claimFailures = new Map<string, { message: string; isTransient: boolean }>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  facts(key: string, baseline: Workflow | undefined): Facts {
    const { clock, settings, pods, taskResults, taskSets, locks, sharedLocks, templates, clusterTemplates, images } =
      this.#surroundings;
    const { namespace } = parts(key);
    return {
      now: clock.now(),
      settings: settings(),
      pods: pods.of(key) as unknown as Pod[],
      taskResults: taskResults.of(key),
      taskSet: taskSets.get(namespace, parts(key).name),
      podFailures: this.podFailures,
      claimFailures: this.claimFailures,
      locks,
      baseline,
      ...(sharedLocks
        ? {
            sharedLocks: (request) => {
              const answer = this.#sharedLocks.get(JSON.stringify(request));
              if (!answer) throw new MissingFact({ kind: 'shared-locks', request });
              return answer;
            },
          }
        : {}),
      template: (scope, name) =>
        scope === 'cluster' ? clusterTemplates.get('', name) : templates.get(namespace, name),
      configMap: (of, name) => {
        const id = `${of}/${name}`;
        if (!this.#configMaps.has(id)) throw new MissingFact({ kind: 'config-map', namespace: of, name });
        return this.#configMaps.get(id);
      },
      gcTasks: (of, hash) => {
        const tasks = this.#gcTasks.get(`${of}/${hash}`);
        if (!tasks) throw new MissingFact({ kind: 'gc-tasks', namespace: of, name: hash });
        return tasks;
      },
      imageCommand: (image, pull) => known(settings().images, image) ?? images.get(image, pull),
    };
  }

  /** Reads what a decision asked for. */
  async read(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { client, images, sharedLocks } = this.#surroundings;
    if (wanted.kind === 'image') return images.read(wanted.image, wanted.pull, signal);
    if (wanted.kind === 'shared-locks') {
      const { request } = wanted;
      if (sharedLocks) this.#sharedLocks.set(JSON.stringify(request), await sharedLocks.acquire(request));
      return;
    }
    const { namespace, name } = wanted;
    if (wanted.kind === 'gc-tasks') {
      const ref = { apiVersion: workflowNames.apiVersion, kind: 'WorkflowArtifactGCTask', namespace };
      const { items } = await client.list(ref, { labelSelector: `${workflowNames.labels.artifactGCPod}=${name}` });
      this.#gcTasks.set(`${namespace}/${name}`, items as unknown as GCTask[]);
      return;
    }
    this.#configMaps.set(`${namespace}/${name}`, await findConfigMap(client, namespace, name));
  }
}

async function findConfigMap(client: Client, namespace: string, name: string): Promise<ConfigMap | undefined> {
  if (!name) return undefined;
  try {
    return (await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })) as ConfigMap | undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function known(
  configured: Readonly<Record<string, { entrypoint?: string[]; cmd?: string[] }>> | undefined,
  image: string,
): { entrypoint?: string[]; cmd?: string[] } | undefined {
  return configured && Object.hasOwn(configured, image) ? configured[image] : undefined;
}

function parts(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
