import type { Informer } from '@tiphys/kubernetes';
import { referencesOf } from '../lint/lint-spec.ts';
import type { CronWorkflow, WorkflowTemplate } from '../model/types.ts';

interface Templates {
  readonly templates: Informer<WorkflowTemplate>;
  readonly clusterTemplates: Informer<WorkflowTemplate>;
}

/**
 * The first template that the workflows of a CronWorkflow need and that is not there, as a sentence; undefined if all are, or where this
 * process may not read them. Each of its workflows would fail for it; none is begun until it is there.
 */
export function missingTemplate({ metadata, spec }: CronWorkflow, views: Templates): string | undefined {
  const { workflowTemplateRef: whole } = spec.workflowSpec;
  const wanted = [
    ...(whole?.name ? [{ name: whole.name, isCluster: whole.clusterScope ?? false }] : []),
    ...referencesOf(spec.workflowSpec),
  ];
  const { namespace = '' } = metadata;
  for (const { name, isCluster } of wanted) {
    const view = isCluster ? views.clusterTemplates : views.templates;
    if (name.includes('{{') || !view.state().synced || view.get(isCluster ? '' : namespace, name)) continue;
    const kind = isCluster ? 'clusterworkflowtemplates' : 'workflowtemplates';
    const noun = isCluster ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate';
    return `${kind}.argoproj.io "${name}" not found: create the ${noun}${isCluster ? '' : ` in namespace ${namespace}`}, or correct its name in spec.workflowSpec; no workflow begins until then`;
  }
  return undefined;
}
