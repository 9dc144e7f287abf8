import { workflowNames } from '@tiphys/api';
import { OperationError } from '../operation/halt.ts';
import type { Operation } from '../operation/operation.ts';
import { ownerOf } from '../pods/build-pod.ts';
import { markWorkflow } from './workflow-phase.ts';

/**
 * Claims for the workflow's own volumes, made when it begins. False while one cannot be made for a reason that may pass. Throws an
 * `OperationError`.
 */
export function createClaims(op: Operation): boolean {
  const templates = op.spec.volumeClaimTemplates ?? [];
  if (templates.length === (op.status.persistentVolumeClaims?.length ?? 0)) return true;
  for (const { metadata } of templates) {
    const failure = op.facts.claimFailures?.get(`${op.name}-${metadata?.name}`);
    if (!failure) continue;
    if (!failure.isTransient) throw new OperationError(`pvc create error: ${failure.message}`);
    markWorkflow(op, 'Pending', `Waiting for a PVC to be created. ${failure.message}`);
    return false;
  }
  op.status.persistentVolumeClaims = templates.map((template, index) => {
    const name = template.metadata?.name;
    if (!name) throw new OperationError(`pvc create error: volumeClaimTemplates[${index}].metadata.name is required`);
    const claimName = `${op.name}-${name}`;
    const metadata = {
      ...template.metadata,
      name: claimName,
      namespace: op.namespace,
      labels: { ...template.metadata?.labels, [workflowNames.labels.workflow]: op.name },
      ownerReferences: [ownerOf({ name: op.name, uid: op.workflow.metadata.uid ?? '' })],
    };
    const claim = { ...template, apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata };
    op.actions.push({ kind: 'create-claim', claim });
    return { name, persistentVolumeClaim: { claimName } };
  });
  return true;
}

/** Deletes the claims of a workflow that has ended, unless it wants to keep them. */
export function deleteClaims(op: Operation): void {
  const claims = op.status.persistentVolumeClaims ?? [];
  const strategy = op.spec.volumeClaimGC?.strategy ?? 'OnWorkflowSuccess';
  if (claims.length === 0 || (strategy === 'OnWorkflowSuccess' && op.status.phase !== 'Succeeded')) return;
  for (const { persistentVolumeClaim } of claims) {
    const { claimName } = persistentVolumeClaim as { claimName: string };
    op.actions.push({ kind: 'delete-claim', name: claimName });
  }
  delete op.status.persistentVolumeClaims;
}

/** A budget that keeps the workflow's pods from being evicted. */
export function createBudget(op: Operation): void {
  const budget = op.spec.podDisruptionBudget;
  if (!budget) return;
  const labels = { [workflowNames.labels.workflow]: op.name };
  op.actions.push({
    kind: 'create-budget',
    budget: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: {
        name: op.name,
        namespace: op.namespace,
        labels,
        ownerReferences: [ownerOf({ name: op.name, uid: op.workflow.metadata.uid ?? '' })],
      },
      spec: { ...budget, selector: budget.selector ?? { matchLabels: labels } },
    },
  });
}
