import { CacheStopped, isIgnoredUpdate } from '@tiphys/engine';
import type { Client, Informer, KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { ControllerMetrics } from '@tiphys/metrics';
import type { ClusterHandle } from '../clusters/cluster-registry.ts';
import { labelWithVersion } from '../clusters/cluster-version-label.ts';
import type { HealthSettings } from '../settings/health-settings.ts';
import { keyOfInstance } from '../spec/application-key.ts';

interface Parts {
  /** Namespace of the control plane. */
  readonly namespace: string;
  readonly metrics?: ControllerMetrics;
  readonly onError: (key: string, error: unknown) => void;
  readonly client: Client;
  readonly clusterSecrets: Informer<KubeObject>;
  readonly health: HealthSettings;
  readonly queue: WorkQueue;
}

/** Follows the cache of a cluster that is used for the first time: live objects that change wake the applications that they belong to. */
export function clusterFollower(parts: Parts): (handle: ClusterHandle) => void {
  const { client, clusterSecrets, health, queue, namespace, metrics, onError } = parts;
  return (handle) => {
    const { cache, server } = handle;
    labelWithVersion(client, clusterSecrets, handle).catch((error: unknown) => {
      // the next one does it
      if (!(error instanceof CacheStopped)) onError(`cluster ${server}`, error);
    });
    cache.subscribe((changes) => {
      const started = performance.now();
      const rules = health.ignoredUpdates();
      const news = rules ? changes.filter((change) => !isIgnoredUpdate(change, rules)) : changes;
      for (const instance of new Set(news.flatMap(({ instances }) => instances)))
        queue.add(keyOfInstance(instance, namespace));
      metrics?.changed(
        server,
        changes.map(({ key }) => key),
        performance.now() - started,
      );
    });
  };
}
