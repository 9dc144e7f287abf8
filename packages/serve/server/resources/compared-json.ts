import type { ComparedResource } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';
import { maskSecrets } from './mask-secrets.ts';

/** A compared object as Argo CD's API tells it, the values of Secrets and of sensitive annotations hidden. */
export function comparedJson(resource: ComparedResource, sensitive: readonly string[]) {
  const { key, desired, live, normalized } = resource;
  const [target, liveState] = maskSecrets([desired, live] as const, sensitive);
  // what was hidden in the normalised pair stays as it is; annotations are hidden by what the settings say now
  const [shownPrediction, shownLive] = maskSecrets([normalized?.predicted, normalized?.live] as const, sensitive);
  const normalizedLive = shownLive ?? liveState;
  const predicted = shownPrediction ?? target;
  const text = (object: KubeObject | undefined) => (object ? JSON.stringify(object) : 'null');
  return {
    group: key.group,
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    targetState: text(target),
    liveState: text(liveState),
    normalizedLiveState: text(normalizedLive),
    predictedLiveState: text(predicted),
    resourceVersion: live?.metadata.resourceVersion ?? '',
    hook: resource.hook,
    modified: resource.differences.length > 0,
  };
}
