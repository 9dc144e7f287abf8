import { workflowNames } from '@tiphys/api';
import type { Workflow } from '../model/types.ts';
import { overrideParameters } from './submit.ts';

const { labels } = workflowNames;
const ownLabels: readonly string[] = [
  labels.creator,
  labels.creatorEmail,
  labels.creatorUsername,
  labels.phase,
  labels.completed,
  labels.archiving,
];

/** A workflow like another one, to be run from the start. Throws a `VerbError` for a parameter that is none. */
export function resubmitted(
  { metadata, spec, apiVersion, kind }: Workflow,
  parameters: readonly string[] = [],
): Workflow {
  const { activeDeadlineSeconds, shutdown, suspend, ...rest } = structuredClone(spec);
  const kept = Object.entries(metadata.labels ?? {}).filter(([name]) => !ownLabels.includes(name));
  const copy: Workflow = {
    apiVersion,
    kind,
    metadata: {
      generateName: metadata.generateName ?? `${metadata.name}-`,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      labels: { ...Object.fromEntries(kept), [labels.resubmittedFrom]: metadata.name ?? '' },
      ...(metadata.annotations ? { annotations: { ...metadata.annotations } } : {}),
      ...(metadata.ownerReferences ? { ownerReferences: [...metadata.ownerReferences] } : {}),
    },
    spec: { ...rest, ...(activeDeadlineSeconds ? { activeDeadlineSeconds } : {}) },
  };
  overrideParameters(copy, parameters);
  return copy;
}
