import type { Client, KubeObject } from '@tiphys/kubernetes';
import { apiLives, apiVersionOf, groupVersionOf, type Release, verdictOf } from '../knowledge/api-life.ts';
import { broughtBy } from './brought-by.ts';
import type { ApiUse } from './finding.ts';

const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
/** Written by everybody and all the time; who writes them shows in calls. */
const passing = new Set(['Event', 'Lease', 'Endpoints', 'ComponentStatus', 'TokenReview', 'SubjectAccessReview']);

interface ManagedFields {
  readonly manager?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly subresource?: string;
}

/**
 * Live objects that somebody writes by a version that ends: it is served under all versions, so that only the managers of its
 * fields and kubectl's annotation tell. What the identity may not list is left out, and `skipped` tells of it.
 */
export async function usesInCluster(
  client: Client,
  target: Release,
  signal?: AbortSignal,
): Promise<{ uses: ApiUse[]; skipped: string[] }> {
  const kinds = new Set([...apiLives().values()].filter(({ kind }) => !passing.has(kind)).map(({ kind }) => kind));
  const seen = new Set<string>();
  const uses: ApiUse[] = [];
  const skipped: string[] = [];
  for (const { group, version, kind, plural, verbs } of await client.discovery.resources()) {
    const key = `${kind}/${plural}`;
    // the same objects are served by groups of the past too
    if (!kinds.has(kind) || !verbs.includes('list') || seen.has(key)) continue;
    seen.add(key);
    const path = `${group ? `/apis/${group}` : '/api'}/${version}/${plural}`;
    try {
      for await (const object of listed(client, path, signal)) uses.push(...usesOf({ ...object, kind }, target));
    } catch (error) {
      signal?.throwIfAborted();
      skipped.push(`${plural}.${group || 'core'}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { uses, skipped };
}

async function* listed(client: Client, path: string, signal?: AbortSignal): AsyncGenerator<KubeObject> {
  let more = '';
  do {
    const query = `?limit=500${more ? `&continue=${encodeURIComponent(more)}` : ''}`;
    const answer = await client.request('GET', `${path}${query}`, {
      accept: metadataOnly,
      ...(signal ? { signal } : {}),
    });
    const page = (await answer.json()) as { items?: KubeObject[]; metadata?: { continue?: string } };
    yield* page.items ?? [];
    more = page.metadata?.continue ?? '';
  } while (more);
}

function usesOf(object: KubeObject, target: Release): ApiUse[] {
  const { kind, metadata } = object;
  const name = `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
  const of = (apiVersion: string | undefined, manager: string, at: string | undefined): ApiUse[] => {
    const verdict = apiVersion ? verdictOf({ ...groupVersionOf(apiVersion), kind }, target) : undefined;
    if (!verdict) return [];
    const { life, state } = verdict;
    return [{ origin: 'live', api: life, state, object: name, manager, ...(at ? { at } : {}), ...broughtBy(object) }];
  };
  const managed = (metadata.managedFields ?? []) as ManagedFields[];
  return [
    ...managed.flatMap(({ manager = 'unknown', apiVersion, time, subresource }) =>
      of(apiVersion, subresource ? `${manager} (${subresource})` : manager, time),
    ),
    ...of(appliedVersion(metadata.annotations?.[lastApplied]), 'last-applied', undefined),
  ];
}

/** The version of an annotation of kubectl, which writes its keys in order. */
function appliedVersion(text: string | undefined): string | undefined {
  return text && /^\{"apiVersion":"([A-Za-z0-9./-]{1,300})"/.exec(text)?.[1];
}

/** Versions in which custom resources are stored or served although their definition gives them up. */
export async function storedUses(client: Client, signal?: AbortSignal): Promise<ApiUse[]> {
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const uses: ApiUse[] = [];
  let more: string | undefined;
  do {
    const page = await client.list(ref, {
      limit: 100,
      ...(more ? { continue: more } : {}),
      ...(signal ? { signal } : {}),
    });
    for (const definition of page.items) uses.push(...storedBy(definition));
    more = page.metadata.continue;
  } while (more);
  return uses;
}

function storedBy(definition: KubeObject): ApiUse[] {
  const { group, names, versions } = definition.spec as {
    group: string;
    names: { kind: string };
    versions: { name: string; served: boolean; storage: boolean; deprecated?: boolean; deprecationWarning?: string }[];
  };
  const { storedVersions = [] } = (definition.status ?? {}) as { storedVersions?: string[] };
  return storedVersions.flatMap((version): ApiUse[] => {
    const described = versions.find(({ name }) => name === version);
    if (described?.served && !described.deprecated) return [];
    const api = { group, version, kind: names.kind };
    const state = described?.served ? 'deprecated' : 'removed';
    const object = `CustomResourceDefinition ${definition.metadata.name} (${apiVersionOf(api)} is in status.storedVersions)`;
    return [{ origin: 'stored', api, state, object, ...broughtBy(definition) }];
  });
}
