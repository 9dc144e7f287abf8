import type { Rollout } from '@tiphys/api';
import type { Client } from '@tiphys/kubernetes';
import { versionedAnnotation } from '../configuration/versioned.ts';
import { type FieldError, invalid } from '../validate/field-error.ts';
import { daemonSetDriver } from './daemon-set.ts';
import type { WorkloadDriver } from './driver.ts';
import { readState, type Workload } from './revisions.ts';
import { statefulSetDriver } from './stateful-set.ts';

/** What cannot be had with a workload that keeps its pods. */
export function validateDriven(rollout: Rollout, { kind, metadata, spec }: Workload): FieldError[] {
  const { canary, blueGreen } = rollout.spec.strategy;
  const reason = `is not served for a ${kind}, whose pods are replaced in their places`;
  const fields = ['trafficRouting', 'canaryService', 'stableService', 'canaryMetadata', 'stableMetadata'] as const;
  const refused = fields
    .filter((field) => canary?.[field] !== undefined)
    .map((field) => invalid(`spec.strategy.canary.${field}`, canary?.[field], reason, left(field)));
  if (blueGreen) refused.push(invalid('spec.strategy.blueGreen', blueGreen, reason, left('blueGreen')));
  const isVersioned = rollout.metadata.annotations?.[versionedAnnotation];
  if (isVersioned)
    refused.push(
      invalid(
        `metadata.annotations.${versionedAnnotation}`,
        isVersioned,
        reason,
        left(`the annotation ${versionedAnnotation}`),
      ),
    );
  if (kind === 'StatefulSet' && spec.updateStrategy?.type === 'OnDelete')
    refused.push(
      invalid('spec.workloadRef', metadata.name, 'a StatefulSet is driven by its partition, not with OnDelete', {
        remedies: [`Set spec.updateStrategy.type of StatefulSet ${metadata.name} to RollingUpdate`],
      }),
    );
  return refused;
}

function left(field: string): { remedies: string[] } {
  return { remedies: [`Leave ${field} out, and go by a canary of pods (setWeight, pause, analysis)`] };
}

/** The driver of a workload; undefined while its own controller has not seen its newest template. */
export async function driverOf(
  client: Client,
  workload: Workload,
  { rollout, now }: { rollout: Rollout; now: number },
): Promise<WorkloadDriver | undefined> {
  if ((workload.status?.observedGeneration ?? 0) < (workload.metadata.generation ?? 0)) return undefined;
  const state = await readState(client, workload);
  return workload.kind === 'StatefulSet'
    ? statefulSetDriver(rollout, state, now)
    : daemonSetDriver(rollout, state, now);
}
