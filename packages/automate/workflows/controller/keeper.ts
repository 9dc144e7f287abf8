import { workflowNames } from '@tiphys/api';
import { type Client, type Clock, isNotFound, pause } from '@tiphys/kubernetes';
import { openPersistence, type Persistence, type PersistenceOptions } from '@tiphys/workflow-database';
import { goDuration } from '../model/duration.ts';
import type { LabelSelector, Workflow } from '../model/types.ts';
import { matchesSelector } from './label-selector.ts';
import { packNodes, unpackNodes, WorkflowTooLarge } from './nodes-codec.ts';

const { labels, apiVersion } = workflowNames;

export interface KeeperOptions extends PersistenceOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Keeps nodes that are too large for the API server, and workflows that have ended, in the database, if there is one. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #persistence: Persistence | undefined;

  private constructor(options: KeeperOptions, persistence: Persistence | undefined) {
    this.#options = options;
    this.#persistence = persistence;
  }

  /** Throws a diagnosis for a database that does not answer. */
  static async open(options: KeeperOptions): Promise<Keeper> {
    return new Keeper(options, await openPersistence(options));
  }

  get archives(): boolean {
    return this.#persistence?.settings.archives === true;
  }

  /** The workflow with its nodes, wherever they are. */
  async whole(workflow: Workflow): Promise<Workflow> {
    const version = workflow.status?.offloadNodeStatusVersion;
    if (!version || !workflow.status) return unpackNodes(workflow);
    const { uid = '', name } = workflow.metadata;
    const nodes = await this.#persistence?.nodes.load({ uid, version });
    if (!nodes)
      throw new Error(
        this.#persistence
          ? `the nodes of ${name} (version ${version}) are not in the database any more`
          : `the nodes of ${name} are in a database, and workflow-controller-configmap has no persistence`,
      );
    const { offloadNodeStatusVersion, ...status } = workflow.status;
    return { ...workflow, status: { ...status, nodes } };
  }

  /** The workflow as the API server takes it. Throws a `WorkflowTooLarge`. */
  async stored(workflow: Workflow): Promise<Workflow> {
    const { settings, nodes: table } = this.#persistence ?? {};
    const always = this.#options.env.ALWAYS_OFFLOAD_NODE_STATUS === 'true';
    if (!settings?.offloads || !table) return packNodes(workflow);
    if (!always) {
      try {
        return packNodes(workflow);
      } catch (error) {
        if (!(error instanceof WorkflowTooLarge)) throw error;
      }
    }
    if (!workflow.status?.nodes) return workflow;
    const { nodes, ...status } = workflow.status;
    const { uid = '', namespace = '' } = workflow.metadata;
    const version = await table.save({ uid, namespace }, nodes, this.#options.clock.now());
    return { ...workflow, status: { ...status, offloadNodeStatusVersion: version } as NonNullable<Workflow['status']> };
  }

  /** Archives a workflow that waits for it, and marks it. */
  async archive(named: { namespace: string; name: string }): Promise<void> {
    const { client } = this.#options;
    const ref = { apiVersion, kind: 'Workflow', ...named };
    const found = await find(client, ref);
    if (found?.metadata.labels?.[labels.archiving] !== 'Pending') return;
    const selector = this.#persistence?.settings.archiveLabelSelector as LabelSelector | undefined;
    const isWanted = this.archives && matchesSelector(selector, found.metadata.labels ?? {});
    if (isWanted) await this.#persistence?.archive.keep(await this.whole(found));
    const uid = found.metadata.uid;
    const mark = { [labels.archiving]: isWanted ? 'Archived' : null };
    try {
      await client.patch(ref, 'merge', { metadata: { labels: mark, ...(uid ? { uid } : {}) } });
    } catch (error) {
      // gone meanwhile: it is in the archive
      if (!isNotFound(error)) throw error;
    }
  }

  /** Forgets what is too old, again and again, until the signal. `inUse` gives the versions of nodes that workflows have now, by uid. */
  async tidy(
    signal: AbortSignal,
    parts: { holds: () => boolean; inUse: () => ReadonlyMap<string, string> },
  ): Promise<void> {
    const { clock, env, onError } = this.#options;
    const period = (name: string, usual: number) => (env[name] && goDuration(env[name])) || usual;
    const every = Math.min(period('ARCHIVED_WORKFLOW_GC_PERIOD', 86_400_000), period('WORKFLOW_GC_PERIOD', 300_000));
    const nodesTtl = period('OFFLOAD_NODE_STATUS_TTL', 300_000);
    while (this.#persistence && !signal.aborted) {
      await pause(clock, every, signal);
      if (signal.aborted || !parts.holds()) continue;
      try {
        await this.#forget(clock.now(), nodesTtl, parts.inUse());
      } catch (error) {
        onError(error);
      }
    }
  }

  async #forget(now: number, nodesTtl: number, inUse: ReadonlyMap<string, string>): Promise<void> {
    const { archive, nodes, settings } = this.#persistence as Persistence;
    const ttl = ttlOf(settings.archiveTtl);
    if (ttl !== undefined) await archive.forgetBefore(now - ttl);
    for (const old of await nodes.savedBefore(now - nodesTtl, this.#options.managedNamespace))
      if (inUse.get(old.uid) !== old.version) await nodes.delete(old);
  }

  async close(): Promise<void> {
    await this.#persistence?.close();
  }
}

/** `180d`, or a duration of Go; undefined for ever. */
function ttlOf(text: string): number | undefined {
  const days = /^(\d{1,6})d$/.exec(text)?.[1];
  return days === undefined ? (text ? goDuration(text) : undefined) : Number(days) * 86_400_000;
}

async function find(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace: string; name: string },
): Promise<Workflow | undefined> {
  return (await client.find(ref)) as unknown as Workflow | undefined;
}
