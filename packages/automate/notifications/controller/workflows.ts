import { workflowNames } from '@tiphys/api';
import { workflowCatalogue } from '../catalog/workflows.ts';
import type { NotifiedKind } from './family.ts';

/** Notifications of Workflows, of which Argo Workflows tells nobody, with settings of the names that Rollouts have theirs by. */
export function workflowNotifications({ selfService }: { readonly selfService: boolean }): NotifiedKind {
  return {
    name: 'workflows',
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    variable: 'workflow',
    configMapName: workflowNames.notificationConfigMap,
    secretName: 'argo-workflows-notification-secret',
    prefix: 'notifications.argoproj.io',
    metricsPrefix: 'argo_workflows',
    component: 'workflow-controller',
    catalogue: workflowCatalogue,
    selfService,
    skips: ({ status }) => ((status as { phase?: string } | undefined)?.phase ? undefined : 'it has not begun'),
  };
}
