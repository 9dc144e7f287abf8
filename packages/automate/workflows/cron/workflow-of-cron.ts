import { workflowNames } from '@tiphys/api';
import { timestamp } from '../model/time.ts';
import type { CronWorkflow, Workflow } from '../model/types.ts';

const { apiVersion, labels, annotations } = workflowNames;

/**
 * A workflow of a CronWorkflow for a scheduled time, in milliseconds; without a name, the API server makes one. Upstream rule: it
 * has the instance of the CronWorkflow, and what `workflowMetadata` says comes last.
 */
export function workflowOfCron(cron: CronWorkflow, { at, name }: { at: number; name?: string }): Workflow {
  const { name: owner = '', namespace, uid = '', labels: own } = cron.metadata;
  const { workflowMetadata: wanted, workflowSpec } = cron.spec;
  const instance = own?.[labels.instance];
  return {
    apiVersion,
    kind: 'Workflow',
    metadata: {
      ...(name ? { name } : { generateName: `${owner}-` }),
      ...(namespace ? { namespace } : {}),
      labels: { ...(instance ? { [labels.instance]: instance } : {}), [labels.cronWorkflow]: owner, ...wanted?.labels },
      annotations: { [annotations.scheduledTime]: timestamp(at), ...wanted?.annotations },
      ...(wanted?.finalizers ? { finalizers: wanted.finalizers } : {}),
      ownerReferences: [
        { apiVersion, kind: 'CronWorkflow', name: owner, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: structuredClone(workflowSpec),
  };
}
