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

const known = new WeakMap<Surroundings, Map<string, Workflow | undefined>>();

/** The newest workflow of the same template or CronWorkflow that succeeded: estimates rest on it. Read once for each workflow. */
export async function baselineOf(
  surroundings: Surroundings,
  { metadata, spec, status }: Workflow,
  signal: AbortSignal,
): Promise<Workflow | undefined> {
  const cache = known.get(surroundings) ?? new Map<string, Workflow | undefined>();
  known.set(surroundings, cache);
  const uid = metadata.uid ?? '';
  if (cache.has(uid)) return cache.get(uid);
  if (status?.phase) return undefined;
  const own = { ...metadata.labels, ...labelOf(spec) };
  const origin = origins.find((label) => own[label]);
  const newest =
    origin && newestOf(surroundings, { namespace: metadata.namespace, label: origin, value: own[origin] ?? '' });
  const baseline = newest && (await hydrated(await read(surroundings, newest, signal), surroundings.persistence));
  cache.set(uid, baseline);
  if (cache.size > 200) cache.delete(cache.keys().next().value as string);
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
  { namespace, label, value }: { namespace: string | undefined; label: string; value: string },
): Workflow | undefined {
  let newest: Workflow | undefined;
  for (const workflow of workflows.list()) {
    const { metadata, status } = workflow;
    if (status?.phase !== 'Succeeded' || metadata.namespace !== namespace || metadata.labels?.[label] !== value)
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
