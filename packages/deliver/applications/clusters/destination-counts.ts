import type { Application } from '@tiphys/api';
import type { ClusterRegistry } from './cluster-registry.ts';

/** How many applications have each cluster as their destination; counted again only after a change. */
export class DestinationCounts {
  readonly #applications: () => Iterable<Application>;
  readonly #clusters: Pick<ClusterRegistry, 'serverOf'>;
  #counts: ReadonlyMap<string, number> | undefined;

  constructor(applications: () => Iterable<Application>, clusters: Pick<ClusterRegistry, 'serverOf'>) {
    this.#applications = applications;
    this.#clusters = clusters;
  }

  /** An application or a declared cluster has changed. */
  changed(): void {
    this.#counts = undefined;
  }

  /** `server` as {@link ClusterRegistry.serverOf} gives it. */
  of(server: string): number {
    this.#counts ??= this.#count();
    return this.#counts.get(server) ?? 0;
  }

  #count(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { spec } of this.#applications()) {
      const server = this.#clusters.serverOf(spec.destination);
      counts.set(server, (counts.get(server) ?? 0) + 1);
    }
    return counts;
  }
}
