import { workflowNames } from '@tiphys/api';
import { goDuration } from '@tiphys/go';
import { type Client, type Clock, pause } from '@tiphys/kubernetes';
import { cursorOf, openPersistence, type Persistence, type WorkflowArchive } from '@tiphys/workflow-database';
import { matchesSelector } from '../../model/label-selector.ts';
import type { LabelSelector, Workflow } from '../../model/types.ts';
import type { ControllerSettings, SettingsBase } from '../settings/controller-settings.ts';
import type { WorkflowPersistence } from './persistence.ts';

export interface KeptOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Of workflow-controller-configmap. */
  readonly namespace: string;
  readonly managedNamespace?: string | undefined;
  readonly base: SettingsBase;
  /** What the ConfigMap says now. */
  readonly settings: Pick<ControllerSettings, 'persistence' | 'synchronization' | 'instanceId'>;
  /** SQLite's file for the archive where the ConfigMap names no database; without it there is no archive then. */
  readonly archiveFile?: string | undefined;
  readonly onError: (key: string, error: unknown) => void;
}

/** What workflows are kept in, until it is closed. */
export interface Kept {
  readonly persistence: WorkflowPersistence;
  /** Forgets what is too old, again and again, until the signal. */
  tidy(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database that the ConfigMap names now: another one needs another start. Throws a diagnosis if it does not answer. */
export async function openKept(options: KeptOptions): Promise<Kept> {
  const { client, namespace, managedNamespace, base, archiveFile, onError } = options;
  const { persistence: written, instanceId = '' } = options.settings;
  const store = await openPersistence({
    persistence: written,
    ...(archiveFile ? { file: archiveFile } : {}),
    instanceId,
    managedNamespace,
    client,
    namespace,
    onError: (error) => onError('the database of workflows', error),
  });
  return {
    persistence: store ? adapted(store, base, onError) : {},
    tidy: async (signal) => {
      if (store) await tidy(store, options, signal);
    },
    close: async () => store?.close(),
  };
}

function adapted(
  { settings, archive, nodes }: Persistence,
  { env }: SettingsBase,
  onError: KeptOptions['onError'],
): WorkflowPersistence {
  const selector = settings.archiveLabelSelector as LabelSelector | undefined;
  return {
    ...(settings.archives
      ? {
          archive: {
            wants: ({ metadata }: Workflow) => matchesSelector(selector, metadata.labels ?? {}),
            keep: (workflow: Workflow) => archive.keep(workflow),
            newest: (wanted) => newestOf(archive, wanted, onError),
          },
        }
      : {}),
    ...(settings.offloads
      ? {
          nodes: {
            always: env.ALWAYS_OFFLOAD_NODE_STATUS === 'true',
            save: (workflow, content, now) => nodes.save(workflow, content, now),
            load: (version) => nodes.load(version),
          },
        }
      : {}),
  };
}

/** Nobody waits for an estimate: a database that does not answer is told, and nothing is estimated. */
async function newestOf(
  archive: WorkflowArchive,
  { namespace, label, value }: { namespace: string; label: string; value: string },
  onError: KeptOptions['onError'],
): Promise<Workflow | undefined> {
  try {
    const filter = { namespace, phase: 'Succeeded', labelSelector: `${label}=${value}` };
    const { items } = await archive.list(filter, { cursor: cursorOf(''), limit: 1 });
    const uid = items[0]?.metadata.uid;
    return uid ? await archive.find({ uid }) : undefined;
  } catch (error) {
    onError('the database of workflows', error);
    return undefined;
  }
}

async function tidy(
  { archive, nodes, settings }: Persistence,
  options: KeptOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, base, managedNamespace, onError } = options;
  const period = (name: string, usual: number) => (base.env[name] && goDuration(base.env[name])) || usual;
  const every = Math.min(period('ARCHIVED_WORKFLOW_GC_PERIOD', 86_400_000), period('WORKFLOW_GC_PERIOD', 300_000));
  const nodesTtl = period('OFFLOAD_NODE_STATUS_TTL', 300_000);
  const archiveTtl = ttlOf(settings.archiveTtl);
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) onError('the database of workflows', error);
    }
  };
  await attempt(() => archive.timeLabels());
  while (!signal.aborted) {
    await pause(clock, every, signal);
    if (signal.aborted) return;
    await attempt(async () => {
      if (archiveTtl !== undefined) await archive.forgetBefore(clock.now() - archiveTtl);
      const old = await nodes.savedBefore(clock.now() - nodesTtl, managedNamespace);
      const inUse = old.length > 0 ? await versionsInUse(options, signal) : new Map<string, string>();
      for (const version of old) if (inUse.get(version.uid) !== version.version) await nodes.delete(version);
    });
  }
}

/** The versions of nodes that workflows of the cluster have now, by uid. */
async function versionsInUse(
  { client, managedNamespace }: KeptOptions,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const ref = {
    apiVersion: workflowNames.apiVersion,
    kind: 'Workflow',
    ...(managedNamespace ? { namespace: managedNamespace } : {}),
  };
  const found = new Map<string, string>();
  let next = '';
  do {
    const list = await client.list(ref, { limit: 500, signal, ...(next ? { continue: next } : {}) });
    for (const { metadata, status } of list.items as unknown as Workflow[])
      if (status?.offloadNodeStatusVersion) found.set(metadata.uid ?? '', status.offloadNodeStatusVersion);
    next = list.metadata.continue ?? '';
  } while (next);
  return found;
}

/** `180d`, or a duration of Go; undefined for ever. */
function ttlOf(text: string): number | undefined {
  const days = /^(\d{1,6})d$/.exec(text)?.[1];
  if (days !== undefined) return Number(days) * 86_400_000;
  return text ? goDuration(text) : undefined;
}
