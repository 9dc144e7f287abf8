import { workflowNames } from '@tiphys/api';
import { workflowOfCron } from '../cron/workflow-of-cron.ts';
import type { CronWorkflow, Workflow } from '../model/types.ts';

const { labels, apiVersion } = workflowNames;

/** A workflow of a template, or one that a CronWorkflow would start now. */
export function workflowFrom(
  source: { template: string } | { clusterTemplate: string } | { cron: CronWorkflow; now?: number },
): Workflow {
  if ('cron' in source) return workflowOfCron(source.cron, { at: source.now ?? Date.now() });
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
