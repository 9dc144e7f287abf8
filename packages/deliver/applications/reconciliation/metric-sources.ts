import type { WorkQueue } from '@tiphys/kubernetes';
import type { ApplicationFacts, ClusterFacts, ControllerMetrics } from '@tiphys/metrics';
import { plainVersion } from '../clusters/cluster-version-label.ts';
import { orphansOf } from './orphans.ts';
import type { ApplicationStore, ReconcileContext } from './reconciliation.ts';

interface MetricParts {
  readonly context: ReconcileContext;
  readonly store: ApplicationStore;
  readonly queue: WorkQueue;
}

/** What a scrape of the controller's metrics reads; nothing is computed before one asks. */
export function metricSources({ context, store, queue }: MetricParts): Parameters<ControllerMetrics['follow']>[0] {
  const { clusters } = context;
  return {
    queue,
    application: (key) => store.get(key),
    *applications(): Iterable<ApplicationFacts> {
      const seen = new Map<string, number>();
      for (const application of store.list()) {
        const { destination, project: name } = application.spec;
        const server = clusters.serverOf(destination);
        const handle = clusters.active(server);
        const project = context.project(name || 'default');
        const namespace = destination.namespace ?? '';
        if (!handle || !project?.spec.orphanedResources) {
          yield { application, server };
          continue;
        }
        // many applications may share a namespace
        const place = `${name} ${server} ${namespace}`;
        const orphans = () => {
          const count = seen.get(place) ?? orphansOf(project, handle, namespace).length;
          seen.set(place, count);
          return count;
        };
        yield { application, server, orphans };
      }
    },
    *clusters(): Iterable<ClusterFacts> {
      for (const { server, name, secret } of clusters.list()) {
        const handle = clusters.active(server);
        if (!handle) continue;
        const info = handle.cache.info();
        yield {
          server,
          name,
          labels: secret?.metadata.labels ?? {},
          version: plainVersion(info.version),
          objects: info.objects,
          kinds: info.kinds,
          connected: info.diagnosis === undefined,
          ...(info.synced ? { syncedAt: info.lastEventAt } : {}),
        };
      }
    },
  };
}
