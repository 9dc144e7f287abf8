import { randomUUID } from 'node:crypto';
import { type ServerContext, timestamp } from '@tiphys/apimachinery';
import { type ApiService, locallyAvailable } from '@tiphys/kinds';

const COLLECTION = 'apiregistration.k8s.io/apiservices';
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Priorities of the groups and versions that a real server registers, as its own. */
const GROUPS: Record<string, number> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'apiextensions.k8s.io': 16_700,
  'admissionregistration.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};
const VERSIONS: Record<string, number> = {
  'v1.': 1,
  'v2.autoscaling': 30,
  'v1.flowcontrol.apiserver.k8s.io': 21,
  'v1.resource.k8s.io': 21,
};
const USUAL = 15;
const CUSTOM = { groupPriorityMinimum: 1000, versionPriority: 100 };

/**
 * Keeps an APIService for every version that this server serves itself: those of the built-in groups are made at the start,
 * those of custom resources come and go with their definitions.
 */
export class LocalServices {
  readonly #server: ServerContext;
  #due = false;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  load(): void {
    const { registry } = this.#server;
    for (const { group, versions } of registry.groups())
      for (const version of versions) {
        const groupPriorityMinimum = GROUPS[group];
        const versionPriority = VERSIONS[`${version}.${group}`] ?? USUAL;
        if (groupPriorityMinimum) this.#ensure({ group, version, groupPriorityMinimum, versionPriority }, 'onstart');
      }
    this.#followDefinitions();
    registry.onChange(() => {
      if (this.#due) return;
      this.#due = true;
      queueMicrotask(() => {
        this.#due = false;
        this.#followDefinitions();
      });
    });
  }

  #followDefinitions(): void {
    const { registry, store } = this.#server;
    const served = new Set<string>();
    for (const { custom, group, version } of registry.all()) {
      if (custom === undefined) continue;
      served.add(`${version}.${group}`);
      if (!GROUPS[group]) this.#ensure({ group, version, ...CUSTOM }, 'true');
    }
    const collection = store.collection(COLLECTION);
    for (const name of [...collection.keys()])
      if (collection.get(name)?.object.metadata.labels?.[MANAGED] === 'true' && !served.has(name))
        store.remove(collection, name);
  }

  /** What has the name already stays as it is: another server may have been registered for the version. */
  #ensure({ group, ...spec }: ApiService['spec'], managed: string): void {
    const { store, clock } = this.#server;
    const collection = store.collection(COLLECTION);
    const name = `${spec.version}.${group}`;
    if (collection.get(name)) return;
    const creationTimestamp = timestamp(clock);
    const object: ApiService = {
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      metadata: { name, uid: randomUUID(), creationTimestamp, labels: { [MANAGED]: managed } },
      spec: { ...(group ? { group } : {}), ...spec },
      status: locallyAvailable(creationTimestamp),
    };
    store.put(collection, name, object);
  }
}
