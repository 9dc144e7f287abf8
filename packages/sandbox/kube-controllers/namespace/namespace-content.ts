import { type ApiResource, type Client, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { serverMessage } from '../machinery/pods.ts';

/** What is left of one kind after everything that can be deleted was. */
export interface Remainder {
  /** `deployments.apps`; the core group leaves the dot, as the real message does: `pods.`. */
  resource: string;
  count: number;
  byFinalizer: ReadonlyMap<string, number>;
  /** Why it could not be deleted. */
  error?: string;
}

/** Deletes all objects of one kind in a namespace, and tells what remains. */
export async function deleteContent(client: Client, resource: ApiResource, namespace: string): Promise<Remainder> {
  const name = `${resource.plural}.${resource.group}`;
  try {
    const ref = { apiVersion: versionOf(resource), kind: resource.kind, namespace };
    // most kinds have nothing in most namespaces: one question saves the deletion
    if ((await client.list(ref, { limit: 1 })).items.length === 0) return nothing(name);
    if (resource.verbs.includes('deletecollection'))
      await client.deleteCollection(ref, { propagationPolicy: 'Background' });
    else await deleteEach(client, ref);
    return remainder(name, (await client.list(ref)).items);
  } catch (error) {
    // a kind that went with its definition
    if (isNotFound(error)) return nothing(name);
    return { ...nothing(name), error: serverMessage(error) };
  }
}

/** The kinds whose objects can be in a namespace and be deleted, one version each. */
export async function deletableKinds(client: Client): Promise<ApiResource[]> {
  const kinds = new Map<string, ApiResource>();
  for (const resource of await client.discovery.resources()) {
    const key = `${resource.group}/${resource.plural}`;
    const deletable = ['list', 'delete'].every((verb) => resource.verbs.includes(verb));
    if (resource.namespaced && deletable && !kinds.has(key)) kinds.set(key, resource);
  }
  return [...kinds.values()];
}

async function deleteEach(client: Client, ref: { apiVersion: string; kind: string; namespace: string }): Promise<void> {
  for (const { metadata } of (await client.list(ref)).items) {
    try {
      await client.delete({ ...ref, name: metadata.name ?? '' }, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function nothing(resource: string): Remainder {
  return { resource, count: 0, byFinalizer: new Map() };
}

function remainder(resource: string, items: readonly KubeObject[]): Remainder {
  const byFinalizer = new Map<string, number>();
  for (const { metadata } of items)
    for (const finalizer of metadata.finalizers ?? [])
      byFinalizer.set(finalizer, (byFinalizer.get(finalizer) ?? 0) + 1);
  return { resource, count: items.length, byFinalizer };
}

function versionOf({ group, version }: ApiResource): string {
  return group ? `${group}/${version}` : version;
}
