import { workflowNames } from '@tiphys/api';
import { timeOf } from '../model/time.ts';
import type { Workflow } from '../model/types.ts';
import { hydrated } from './persistence/persistence.ts';
import type { Surroundings } from './surroundings.ts';

const origins = [
  workflowNames.labels.workflowTemplate,
  workflowNames.labels.clusterWorkflowTemplate,
  workflowNames.labels.cronWorkflow,
];

/** Workflows that have begun whose baseline is remembered. */
const mostBegun = 1_000;
/** Nodes of baselines that are remembered, of all together. */
const mostNodes = 20_000;

/** What estimates are made of: when workflows and their nodes began and ended. */
class Baselines {
  /** By the uid of the workflow whose estimates rest on it. */
  readonly begun = new Map<string, Workflow | undefined>();
  /** By its own uid, the oldest first. */
  readonly #ended = new Map<string, Workflow>();
  #nodes = 0;

  get(uid: string): Workflow | undefined {
    return this.#ended.get(uid);
  }

  keep({ metadata, status }: Workflow): Workflow {
    const { uid = '', name = '' } = metadata;
    const nodes = Object.values(status?.nodes ?? {}).map(({ id, startedAt, finishedAt }) => [
      id,
      { startedAt, finishedAt },
    ]);
    const { startedAt = null, finishedAt = null } = status ?? {};
    const kept = {
      metadata: { name },
      spec: {},
      status: { startedAt, finishedAt, nodes: Object.fromEntries(nodes) },
    } as unknown as Workflow;
    this.#drop(uid);
    this.#ended.set(uid, kept);
    this.#nodes += nodes.length;
    for (const oldest of this.#ended.keys()) {
      if (this.#nodes <= mostNodes || oldest === uid) break;
      this.#drop(oldest);
    }
    return kept;
  }

  #drop(uid: string): void {
    this.#nodes -= Object.keys(this.#ended.get(uid)?.status?.nodes ?? {}).length;
    this.#ended.delete(uid);
  }
}

const known = new WeakMap<Surroundings, Baselines>();

function baselines(surroundings: Surroundings): Baselines {
  const found = known.get(surroundings) ?? new Baselines();
  known.set(surroundings, found);
  return found;
}

/** Of a workflow that has just ended: its own baseline is of no use any more; if it has succeeded, it may be that of the next one. */
export function noteEnd(surroundings: Surroundings, workflow: Workflow): void {
  const { metadata, status } = workflow;
  const store = baselines(surroundings);
  store.begun.delete(metadata.uid ?? '');
  if (status?.phase === 'Succeeded' && origins.some((label) => metadata.labels?.[label])) store.keep(workflow);
}

/**
 * The newest workflow of the same template or CronWorkflow that succeeded, of the archive if the cluster has none, as far as estimates need it.
 * Looked for once for each workflow, and read unless this process saw it end.
 */
export async function baselineOf(
  surroundings: Surroundings,
  { metadata, spec, status }: Workflow,
  signal: AbortSignal,
): Promise<Workflow | undefined> {
  const store = baselines(surroundings);
  const { begun } = store;
  const uid = metadata.uid ?? '';
  if (begun.has(uid)) return begun.get(uid);
  if (status?.phase || surroundings.settings().skipsEstimates) return undefined;
  const own = { ...metadata.labels, ...labelOf(spec) };
  const origin = origins.find((label) => own[label]);
  const wanted = origin && { namespace: metadata.namespace ?? '', label: origin, value: own[origin] ?? '' };
  const newest = wanted && newestOf(surroundings, wanted);
  const { persistence } = surroundings;
  const archived = wanted && !newest ? await persistence.archive?.newest?.(wanted) : undefined;
  const baseline = newest
    ? (store.get(newest.metadata.uid ?? '') ??
      store.keep(await hydrated(await read(surroundings, newest, signal), persistence)))
    : archived && store.keep(archived);
  begun.set(uid, baseline);
  if (begun.size > mostBegun) begun.delete(begun.keys().next().value as string);
  return baseline;
}

/** The label is set only when the workflow begins. */
function labelOf({ workflowTemplateRef }: Workflow['spec']): Record<string, string> {
  if (!workflowTemplateRef) return {};
  const { workflowTemplate, clusterWorkflowTemplate } = workflowNames.labels;
  return { [workflowTemplateRef.clusterScope ? clusterWorkflowTemplate : workflowTemplate]: workflowTemplateRef.name };
}

function newestOf(
  { workflows }: Surroundings,
  { namespace, label, value }: { namespace: string; label: string; value: string },
): Workflow | undefined {
  let newest: Workflow | undefined;
  for (const workflow of workflows.list()) {
    const { metadata, status } = workflow;
    if (status?.phase !== 'Succeeded' || (metadata.namespace ?? '') !== namespace || metadata.labels?.[label] !== value)
      continue;
    const created = timeOf(metadata.creationTimestamp) ?? 0;
    if (created > (timeOf(newest?.metadata.creationTimestamp) ?? -1)) newest = workflow;
  }
  return newest;
}

/** Nodes of finished workflows are not kept in memory. */
async function read({ client }: Surroundings, { metadata }: Workflow, signal: AbortSignal): Promise<Workflow> {
  const { namespace = '', name = '' } = metadata;
  const ref = { apiVersion: workflowNames.apiVersion, kind: 'Workflow', namespace, name };
  const found = await client.find(ref, { signal });
  return (found ?? { metadata, spec: {} }) as unknown as Workflow;
}
