import { deducedType, type KubeObject } from '@tiphys/kubernetes';
import type { ServerContext } from '../server/context.ts';
import { timestamp } from '../server/context.ts';
import type { Resource } from '../server/resource.ts';
import type { ScalePaths } from '../server/scale.ts';
import { ageOf } from '../resources/age.ts';

interface Version {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
}

interface Definition extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: {
      plural: string;
      singular?: string;
      kind: string;
      listKind?: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: Version[];
  };
}

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Serves the resources of CustomResourceDefinitions, following the definitions in the store. */
export class CustomResources {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  /** Serves what is stored, and from now on what is written. */
  load(): void {
    const definitions = this.#server.store.collection('apiextensions.k8s.io/customresourcedefinitions');
    for (const key of definitions.keys())
      this.#serve((definitions.get(key) as { object: KubeObject }).object as Definition);
    let seen = this.#server.store.revision;
    const follow = () => {
      definitions.onNextChange(follow);
      for (const event of definitions.since(seen) ?? []) {
        seen = event.revision;
        this.#server.registry.removeCustom(event.item.key);
        if (event.type !== 'DELETED') {
          this.#serve(event.item.object as Definition);
          this.#establish(event.item.object as Definition);
        }
      }
    };
    definitions.onNextChange(follow);
  }

  #serve(definition: Definition): void {
    for (const version of definition.spec.versions)
      if (version.served) this.#server.registry.add(customResource(definition, version));
  }

  #establish(definition: Definition): void {
    const status = definition.status as { conditions?: { type: string; status: string }[] } | undefined;
    if (status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return;
    const now = timestamp(this.#server.clock);
    const names = definition.spec.names;
    queueMicrotask(() => {
      const collection = this.#server.store.collection('apiextensions.k8s.io/customresourcedefinitions');
      const current = collection.get(definition.metadata.name as string);
      if (!current || current.object.metadata.uid !== definition.metadata.uid) return;
      this.#server.store.put(collection, current.key, {
        ...current.object,
        status: {
          conditions: [
            {
              type: 'NamesAccepted',
              status: 'True',
              lastTransitionTime: now,
              reason: 'NoConflicts',
              message: 'no conflicts found',
            },
            {
              type: 'Established',
              status: 'True',
              lastTransitionTime: now,
              reason: 'InitialNamesAccepted',
              message: 'the initial names have been accepted',
            },
          ],
          acceptedNames: {
            ...names,
            singular: names.singular ?? names.kind.toLowerCase(),
            listKind: names.listKind ?? `${names.kind}List`,
          },
          storedVersions: definition.spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
        },
      });
    });
  }
}

function customResource(definition: Definition, version: Version): Resource {
  const { group, names, scope, versions } = definition.spec;
  const apiVersion = `${group}/${version.name}`;
  const stored = `${group}/${versions.find(({ storage }) => storage)?.name ?? version.name}`;
  const own = { group, version: version.name, kind: names.kind };
  const subresources = [
    ...(version.subresources?.status ? [{ name: 'status', kind: own, verbs: ['get', 'patch', 'update'] }] : []),
    ...(version.subresources?.scale
      ? [
          {
            name: 'scale',
            kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: ['get', 'patch', 'update'],
          },
        ]
      : []),
  ];
  return {
    ...own,
    apiVersion,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === 'Namespaced',
    verbs: VERBS,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: new Map(subresources.map((sub) => [sub.name, sub])),
    collection: `${group}/${names.plural}`,
    storageVersionHash: undefined,
    columns: [
      {
        name: 'Name',
        type: 'string',
        format: 'name',
        description: 'Name must be unique within a namespace.',
        priority: 0,
      },
      { name: 'Age', type: 'date', format: '', description: 'CreationTimestamp is a timestamp', priority: 0 },
    ],
    cells: (object, now) => [object.metadata.name, ageOf(object.metadata.creationTimestamp, now)],
    strategy: {
      generation: true,
      statusSubresource: Boolean(version.subresources?.status),
      unconditionalUpdate: false,
    },
    decode: (value) => structuredClone(value) as KubeObject,
    mergeType: () => deducedType,
    emptyStatus: () => undefined,
    toStored: (object) => (object.apiVersion === stored ? object : { ...object, apiVersion: stored }),
    fromStored: (object) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion }),
    deprecation: version.deprecated
      ? (version.deprecationWarning ?? `${apiVersion} ${names.kind} is deprecated`)
      : undefined,
    ...(version.subresources?.scale ? { scale: scalePaths(version.subresources.scale) } : {}),
    custom: definition.metadata.name as string,
  };
}

function scalePaths(scale: {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}): ScalePaths {
  return {
    spec: scale.specReplicasPath.slice(1),
    status: scale.statusReplicasPath.slice(1),
    selector: scale.labelSelectorPath?.slice(1),
  };
}
