import { isDeepStrictEqual } from 'node:util';
import { customResource } from '@tiphys/apiextensions';
import { type Definition, fieldManagerOf, type Resource, type ServerContext, timestamp } from '@tiphys/apimachinery';
import type { apiextensionsV1, KubeObject } from '@tiphys/kubernetes';
import type { Item } from '@tiphys/store';
import { WebhookConverter } from './webhook-converter.ts';

const COLLECTION = 'apiextensions.k8s.io/customresourcedefinitions';

interface Condition {
  type: string;
  status: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/** Serves the resources of CustomResourceDefinitions, following the definitions in the store. */
export class CustomResources {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  /** Serves what is stored, and from now on what is written. */
  load(): void {
    const definitions = this.#server.store.collection(COLLECTION);
    for (const key of definitions.keys()) this.#serve((definitions.get(key) as Item).object as Definition);
    let seen = this.#server.store.revision;
    const follow = () => {
      definitions.onNextChange(follow);
      for (const event of definitions.since(seen) ?? []) {
        seen = event.revision;
        this.#react(
          event.type === 'DELETED' ? undefined : (event.item.object as Definition),
          event.item.key,
          event.previous?.object as Definition | undefined,
        );
      }
    };
    definitions.onNextChange(follow);
  }

  #react(definition: Definition | undefined, name: string, before: Definition | undefined): void {
    if (!definition) {
      this.#server.registry.removeCustom(name);
      return;
    }
    if (!isDeepStrictEqual(definition.spec, before?.spec)) {
      this.#server.registry.removeCustom(name);
      this.#serve(definition);
    }
    const server = this.#server;
    // After the write that made it, which answers with the definition as it was given.
    queueMicrotask(() => {
      const current = server.store.collection(COLLECTION).get(name);
      if (!current || current.object.metadata.uid !== definition.metadata.uid) return;
      if (current.object.metadata.deletionTimestamp) this.#finalize(current);
      else this.#establish(current);
    });
  }

  #serve(definition: Definition): void {
    const versions = definition.spec.versions.filter(({ served }) => served);
    const converter =
      definition.spec.conversion?.strategy === 'Webhook' ? new WebhookConverter(this.#server, definition) : undefined;
    for (const version of versions) this.#server.registry.add(customResource(definition, version, converter));
  }

  #establish(item: Item): void {
    const definition = item.object as Definition;
    const status = definition.status as apiextensionsV1.CustomResourceDefinitionStatus;
    const { names } = definition.spec;
    const accepted = status.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
    if (accepted && isDeepStrictEqual(status.acceptedNames, names)) return;
    const now = timestamp(this.#server.clock);
    const conditions: Condition[] = [
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
    ];
    const next: KubeObject = {
      ...definition,
      status: { ...status, conditions: accepted ? (status.conditions ?? null) : conditions, acceptedNames: names },
    };
    const { store, registry } = this.#server;
    const resource = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') as Resource;
    const tracked = fieldManagerOf(this.#server, resource, 'status').update(definition, next, 'kube-apiserver');
    store.put(store.collection(COLLECTION), item.key, tracked);
  }

  /** Deletes the instances and then lets the definition go. */
  #finalize(item: Item): void {
    const definition = item.object as Definition;
    const finalizer = 'customresourcecleanup.apiextensions.k8s.io';
    const { store, clock } = this.#server;
    if (!definition.metadata.finalizers?.includes(finalizer)) return;
    const instances = store.collection(`${definition.spec.group}/${definition.spec.names.plural}`);
    for (const key of [...instances.keys()]) {
      const instance = instances.get(key) as Item;
      if (!instance.object.metadata.finalizers?.length) store.remove(instances, key);
      else if (!instance.object.metadata.deletionTimestamp)
        store.put(instances, key, {
          ...instance.object,
          metadata: { ...instance.object.metadata, deletionTimestamp: timestamp(clock), deletionGracePeriodSeconds: 0 },
        });
    }
    if (instances.size) {
      instances.onNextChange(() => queueMicrotask(() => this.#again(item.key)));
      return;
    }
    const definitions = store.collection(COLLECTION);
    const finalizers = definition.metadata.finalizers.filter((name) => name !== finalizer);
    const metadata = { ...definition.metadata, finalizers };
    if (finalizers.length) store.put(definitions, item.key, { ...definition, metadata });
    else store.remove(definitions, item.key, { ...definition, metadata });
  }

  #again(name: string): void {
    const current = this.#server.store.collection(COLLECTION).get(name);
    if (current?.object.metadata.deletionTimestamp) this.#finalize(current);
  }
}
