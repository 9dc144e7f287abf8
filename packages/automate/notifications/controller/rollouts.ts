import { emptyCatalogue } from '../catalog/catalogue.ts';
import type { NotifiedKind } from './family.ts';

/** Notifications of Rollouts, with upstream's names; its triggers and templates are those of the ConfigMap alone. */
export function rolloutNotifications({ selfService }: { readonly selfService: boolean }): NotifiedKind {
  return {
    name: 'rollouts',
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    variable: 'rollout',
    configMapName: 'argo-rollouts-notification-configmap',
    secretName: 'argo-rollouts-notification-secret',
    prefix: 'notifications.argoproj.io',
    metricsPrefix: 'argo_rollouts',
    component: 'rollouts-controller',
    catalogue: emptyCatalogue,
    selfService,
    skips: ({ metadata, status }) => {
      const observed = (status as { observedGeneration?: string | number } | undefined)?.observedGeneration;
      return String(observed ?? '') === String(metadata.generation ?? '') ? undefined : 'its status is of another spec';
    },
  };
}
