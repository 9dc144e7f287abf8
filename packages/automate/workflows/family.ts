import type { FamilyOptions, Runtime } from '@tiphys/controller';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import { openLocks } from './controller/limits/open-locks.ts';
import { collectorOf } from './controller/measures/collector.ts';
import { pushMetrics } from './controller/measures/push-otlp.ts';
import { openKept } from './controller/persistence/open-persistence.ts';
import { configMapData } from './controller/settings/config-map.ts';
import { parseSettings, type SettingsBase } from './controller/settings/controller-settings.ts';
import { startWorkflows, type WorkflowsRuntime } from './controller/start-workflows.ts';
import { startSimulatedAgent } from './simulated-executor/simulated-agent.ts';
import { startSimulatedExecutor } from './simulated-executor/simulated-executor.ts';

export interface WorkflowsFamilyOptions extends FamilyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The cluster is the sandbox of this process. */
  readonly sandbox: boolean;
  /** Its pods only pretend to run. */
  readonly simulated: boolean;
  /** Image of the executor where neither ARGO_EXECUTOR_IMAGE nor the ConfigMap names one. */
  readonly executorImage: string;
  /** How the executor is started where pods are processes of this machine. */
  readonly localExecutor?: readonly string[] | undefined;
  /** Where artifacts go if the ConfigMap does not say it. */
  readonly artifactRepository?: SettingsBase['artifactRepository'];
  /** Of Tiphys. */
  readonly version?: string | undefined;
  /** File of the archive where the ConfigMap names no database. */
  readonly archiveFile?: string | undefined;
  /** Called once, when the definitions are there and workflows are looked at, with what is followed of them. */
  readonly onStarted?: (workflows: WorkflowsRuntime['workflows']) => void;
}

/**
 * Starts the controllers as `tiphys up` does. In the sandbox the definitions, which are large, are taken up in the background: nobody
 * waits for workflows to use the rest.
 */
export async function startWorkflowsFamily(options: WorkflowsFamilyOptions): Promise<Runtime> {
  if (!options.sandbox) return start(options);
  const abort = new AbortController();
  const signal = AbortSignal.any([options.signal, abort.signal]);
  const started = start({ ...options, signal }).catch((error: unknown) => {
    if (!signal.aborted) options.onError('workflows', error);
    return undefined;
  });
  return {
    async close() {
      abort.abort(new Error('stopped'));
      await (await started)?.close();
    },
  };
}

/** Clusters of OpenShift give pods users of their own, and refuse those that ask for one. */
async function isOpenShift({ discovery }: Client): Promise<boolean> {
  return (await discovery.resources()).some(({ group }) => group === 'security.openshift.io');
}

async function start(options: WorkflowsFamilyOptions): Promise<Runtime> {
  const { env, simulated, localExecutor, client, clock, signal, onError } = options;
  const shards = Number(env.TIPHYS_WORKFLOWS_SHARDS ?? '1');
  const collector = collectorOf(env);
  const common = {
    ...options,
    base: {
      env,
      executorImage: env.ARGO_EXECUTOR_IMAGE || options.executorImage,
      wrapsCommands: !simulated,
      executorAsRoot: !simulated && !localExecutor && !(await isOpenShift(client)),
      ...(options.artifactRepository ? { artifactRepository: options.artifactRepository } : {}),
      ...(localExecutor
        ? { executorCommand: localExecutor, emissaryCommand: [...localExecutor, 'emissary'], ownTemporary: true }
        : {}),
    },
    // where pods are processes of this machine no image is run
    asksRegistries: !localExecutor,
    managedNamespace: env.ARGO_MANAGED_NAMESPACE || undefined,
  };
  const { settings } = parseSettings(await configMapData(common), common.base);
  const kept = await openKept({ ...common, settings });
  const locks = await openLocks({ ...common, settings });
  const runtime = await startWorkflows({
    ...common,
    persistence: kept.persistence,
    lockStore: locks?.store,
    ...(Number.isInteger(shards) && shards > 1 ? { shards } : {}),
  });
  if (simulated) {
    await startSimulatedExecutor({ client, clock, signal, onError });
    await startSimulatedAgent({ client, clock, signal, onError });
  }
  options.onStarted?.(runtime.workflows);
  const abort = new AbortController();
  const until = AbortSignal.any([signal, abort.signal]);
  const report = (problem: Diagnosis) => onError('metrics', new DiagnosisError(problem));
  const pushing = { clock, signal: until, report };
  const pushed = collector && options.metrics && pushMetrics(collector, { ...pushing, registry: options.metrics });
  const tidied = Promise.all([kept.tidy(until), locks?.live(until), pushed]);
  return {
    async close() {
      abort.abort(new Error('stopped'));
      await runtime.close();
      await tidied;
      await kept.close();
      await locks?.close();
    },
  };
}
