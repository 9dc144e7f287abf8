import { workflowNames } from '@tiphys/api';
import { timestamp } from '../model/time.ts';
import type { CronWorkflow, Workflow } from '../model/types.ts';

const { labels, apiVersion } = workflowNames;

/** A workflow of a template, or one that a CronWorkflow would start now. */
export function workflowFrom(
  source: { template: string } | { clusterTemplate: string } | { cron: CronWorkflow; now?: number },
): Workflow {
  if ('cron' in source) return ofCron(source.cron, source.now ?? Date.now());
  const isCluster = 'clusterTemplate' in source;
  const name = isCluster ? source.clusterTemplate : source.template;
  return {
    apiVersion,
    kind: 'Workflow',
    metadata: {
      generateName: `${name}-`,
      labels: { [isCluster ? labels.clusterWorkflowTemplate : labels.workflowTemplate]: name },
      annotations: {},
    },
    spec: { workflowTemplateRef: { name, ...(isCluster ? { clusterScope: true } : {}) } },
  };
}

function ofCron({ metadata, spec }: CronWorkflow, now: number): Workflow {
  const {
    labels: more,
    annotations,
    finalizers,
  } = (spec.workflowMetadata ?? {}) as {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
  };
  const name = metadata.name ?? '';
  const instance = metadata.labels?.[labels.instance];
  return {
    apiVersion,
    kind: 'Workflow',
    metadata: {
      generateName: `${name}-`,
      labels: { ...(instance ? { [labels.instance]: instance } : {}), [labels.cronWorkflow]: name, ...more },
      annotations: {
        [workflowNames.annotations.scheduledTime]: timestamp(now),
        ...annotations,
      },
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [
        { apiVersion, kind: 'CronWorkflow', name, uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true },
      ],
    } as Workflow['metadata'],
    spec: structuredClone(spec.workflowSpec),
  };
}
