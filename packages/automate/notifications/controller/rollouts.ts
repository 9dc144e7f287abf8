import type { Client, KubeObject } from '@tiphys/kubernetes';
import { rolloutCatalogue } from '../catalog/rollouts.ts';
import type { NotifiedKind } from './family.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const podTemplateHash = 'rollouts-pod-template-hash';
const revision = 'rollout.argoproj.io/revision';

/** Notifications of Rollouts, with upstream's names: triggers by state, and those that are named after the Events of a Rollout. */
export function rolloutNotifications({ selfService }: { readonly selfService: boolean }): NotifiedKind {
  return {
    name: 'rollouts',
    apiVersion,
    kind: 'Rollout',
    variable: 'rollout',
    configMapName: 'argo-rollouts-notification-configmap',
    secretName: 'argo-rollouts-notification-secret',
    prefix: 'notifications.argoproj.io',
    metricsPrefix: 'argo_rollouts',
    component: 'rollouts-controller',
    catalogue: rolloutCatalogue,
    selfService,
    tellsEvents: true,
    beside: { name: 'analysisRuns', read: analysisRunsOf },
    skips: ({ metadata, status }) => {
      const observed = (status as { observedGeneration?: string | number } | undefined)?.observedGeneration;
      return String(observed ?? '') === String(metadata.generation ?? '') ? undefined : 'its status is of another spec';
    },
  };
}

/** The AnalysisRuns of the revision that is being delivered, the newest first. */
async function analysisRunsOf(client: Client, { metadata, status }: KubeObject): Promise<readonly KubeObject[]> {
  const hash = (status as { currentPodHash?: string } | undefined)?.currentPodHash ?? '';
  const { namespace = '' } = metadata;
  const { items } = await client.list(
    { apiVersion, kind: 'AnalysisRun', namespace },
    { labelSelector: `${podTemplateHash}=${hash}` },
  );
  const made = ({ metadata: { creationTimestamp = '' } }: KubeObject): string => creationTimestamp;
  return items
    .filter((run) => run.metadata.annotations?.[revision] === metadata.annotations?.[revision])
    .sort((a, b) => (made(a) < made(b) ? 1 : -1));
}
