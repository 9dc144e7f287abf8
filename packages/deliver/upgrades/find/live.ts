import type { Client, KubeObject } from '@tiphys/kubernetes';
import {
  apiLives,
  apiVersionOf,
  type CustomLives,
  groupVersionOf,
  keyOf,
  type Release,
  verdictOf,
} from '../knowledge/api-life.ts';
import type { Definition } from '../knowledge/custom-lives.ts';
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
  {
    target,
    definitions,
    custom,
    signal,
  }: {
    readonly target: Release;
    readonly definitions: readonly Definition[];
    readonly custom: CustomLives;
    readonly signal?: AbortSignal;
  },
): Promise<{ uses: ApiUse[]; skipped: string[] }> {
  const uses: ApiUse[] = [];
  const skipped: string[] = [];
  for (const { kind, resource, path } of [...(await builtInLists(client)), ...customLists(definitions, custom)])
    try {
      for await (const object of listed(client, path, signal))
        uses.push(...usesOf({ ...object, kind }, target, custom));
    } catch (error) {
      signal?.throwIfAborted();
      skipped.push(`${resource}: ${error instanceof Error ? error.message : String(error)}`);
    }
  return { uses, skipped };
}

interface ObjectList {
  readonly kind: string;
  /** `plural.group` */
  readonly resource: string;
  readonly path: string;
}

/** Lists of the built-in kinds of which a version ends; the same objects are served by groups of the past too, and are listed once. */
async function builtInLists(client: Client): Promise<ObjectList[]> {
  const kinds = new Set([...apiLives().values()].filter(({ kind }) => !passing.has(kind)).map(({ kind }) => kind));
  const lists = new Map<string, ObjectList>();
  for (const { group, version, kind, plural, verbs } of await client.discovery.resources()) {
    const key = `${kind}/${plural}`;
    if (!kinds.has(kind) || !verbs.includes('list') || lists.has(key)) continue;
    const path = `${group ? `/apis/${group}` : '/api'}/${version}/${plural}`;
    lists.set(key, { kind, resource: `${plural}.${group || 'core'}`, path });
  }
  return [...lists.values()];
}

/** Lists of custom resources of which the definition gives a version up. */
function customLists(definitions: readonly Definition[], custom: CustomLives): ObjectList[] {
  return definitions.flatMap(({ name, group, kind, plural, versions }) => {
    const served = versions.filter((version) => version.served);
    const [asked] = served.filter((version) => !version.deprecated).concat(served);
    const ends = versions.some((version) => custom.has(keyOf({ group, version: version.name, kind })));
    return ends && asked ? [{ kind, resource: name, path: `/apis/${group}/${asked.name}/${plural}` }] : [];
  });
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

function usesOf(object: KubeObject, target: Release, custom: CustomLives): ApiUse[] {
  const { kind, metadata } = object;
  const name = `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;
  const of = (apiVersion: string | undefined, manager: string, at: string | undefined): ApiUse[] => {
    const verdict = apiVersion ? verdictOf({ ...groupVersionOf(apiVersion), kind }, target, custom) : undefined;
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

/** Versions in which custom resources are stored although their definition gives them up. */
export function storedUses(definitions: readonly Definition[]): ApiUse[] {
  return definitions.flatMap(({ object: definition, name, group, kind, versions, storedVersions }) =>
    storedVersions.flatMap((version): ApiUse[] => {
      const described = versions.find((each) => each.name === version);
      if (described?.served && !described.deprecated) return [];
      const api = { group, version, kind };
      const state = described?.served ? 'deprecated' : 'removed';
      const object = `CustomResourceDefinition ${name} (${apiVersionOf(api)} is in status.storedVersions)`;
      return [{ origin: 'stored', api, state, object, ...broughtBy(definition) }];
    }),
  );
}
