import { parse, stringify } from 'yaml';
import type { ManagedResource } from '../api/model.ts';

/** Two states of an object as YAML; empty where it is not there. */
export interface ObjectDifference {
  title: string;
  change: string;
  live: string;
  desired: string;
  /** Lines that only one of both has. */
  added: number;
  removed: number;
}

export interface DifferingResource extends ObjectDifference {
  change: 'will be created' | 'will be deleted' | 'will be changed';
  object: Pick<ManagedResource, 'group' | 'kind' | 'namespace' | 'name'>;
  liveState: unknown;
  desiredState: unknown;
}

/** How an object is called in lists of differences. */
export function titleOfObject({ group, kind, namespace, name }: DifferingResource['object']): string {
  return `${group ? `${group}/` : ''}${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** The objects whose live and predicted states differ, as YAML. Hooks are no part of the desired state. */
export function differingResources(items: readonly ManagedResource[]): DifferingResource[] {
  return items.flatMap((item): DifferingResource[] => {
    const live = toYaml(item.normalizedLiveState);
    const desired = toYaml(item.predictedLiveState);
    if (item.hook || live === desired) return [];
    const title = titleOfObject(item);
    return [
      {
        title,
        object: item,
        liveState: parsed(item.normalizedLiveState),
        desiredState: parsed(item.predictedLiveState),
        ...lineCounts(live, desired),
        live,
        desired,
        change: live === '' ? 'will be created' : desired === '' ? 'will be deleted' : 'will be changed',
      },
    ];
  });
}

/** The objects that two renders make differently, sorted by their titles. */
export function differingManifests(before: readonly string[], after: readonly string[]): ObjectDifference[] {
  const [old, fresh] = [byTitle(before), byTitle(after)];
  return [...new Set([...old.keys(), ...fresh.keys()])].sort().flatMap((title): ObjectDifference[] => {
    const [live, desired] = [old.get(title) ?? '', fresh.get(title) ?? ''];
    if (live === desired) return [];
    const change = live === '' ? 'added' : desired === '' ? 'removed' : 'changed';
    return [{ title, change, ...lineCounts(live, desired), live, desired }];
  });
}

/**
 * What a revision deploys beside what is live: the first is the manifest, the second the live object with the fields that the manifest or
 * that of the revision which is deployed has. What others wrote, defaults and marks of ours among it, is no difference.
 */
export function differencesFromLive(
  manifests: readonly string[],
  deployed: readonly string[],
  managed: readonly ManagedResource[],
): ObjectDifference[] {
  const placed = inTheirNamespaces(manifests, managed);
  const shapes = [placed, inTheirNamespaces(deployed, managed)].map(byTitle);
  const lives = managed.flatMap((item): string[] => {
    const live = parsed(item.normalizedLiveState);
    if (item.hook || !live) return [];
    const own = shapes.map((shape) => shape.get(titleOfObject(item))).filter((text) => text !== undefined);
    return [
      JSON.stringify(
        own.length === 0
          ? live
          : withFieldsOf(
              live,
              own.map((text) => parse(text) as unknown),
            ),
      ),
    ];
  });
  const hooks = new Set(managed.filter(({ hook }) => hook).map(titleOfObject));
  const [before, after] = [placed, lives].map((texts) =>
    texts.map((text) => JSON.stringify(withoutEmptyMaps(JSON.parse(text)))),
  ) as [string[], string[]];
  return differingManifests(before, after).filter(({ title }) => !hooks.has(title));
}

/** The API server does not keep fields that are maps without entries. */
function withoutEmptyMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyMaps);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, withoutEmptyMaps(inner)] as const)
      .filter(([, inner]) => !isMap(inner) || Object.keys(inner).length > 0),
  );
}

/** Manifests leave the destination's namespace out; those of objects that are managed in one get it. */
function inTheirNamespaces(manifests: readonly string[], managed: readonly ManagedResource[]): string[] {
  const namespaces = new Map(managed.map((item) => [titleOfObject({ ...item, namespace: '' }), item.namespace]));
  return manifests.map((text) => {
    const object = JSON.parse(text) as { metadata?: { namespace?: string } };
    const namespace = namespaces.get([...byTitle([text]).keys()][0] ?? '');
    if (!namespace || object.metadata?.namespace) return text;
    return JSON.stringify({ ...object, metadata: { ...object.metadata, namespace } });
  });
}

/** A value without the fields that none of the others has. Items of lists stand for those at their place, or of their name. */
function withFieldsOf(value: unknown, shapes: readonly unknown[]): unknown {
  if (Array.isArray(value)) {
    const lists = shapes.filter((shape): shape is unknown[] => Array.isArray(shape));
    return value.map((item, index) =>
      withFieldsOf(item, lists.map((list) => counterpart(list, item, index)).filter(isThere)),
    );
  }
  if (!isMap(value)) return value;
  const maps = shapes.filter(isMap);
  if (maps.length === 0) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const inners = maps.filter((map) => Object.hasOwn(map, key)).map((map) => map[key]);
      return inners.length === 0 ? [] : [[key, withFieldsOf(inner, inners)]];
    }),
  );
}

const isThere = (value: unknown) => value !== undefined;

function counterpart(list: readonly unknown[], item: unknown, index: number): unknown {
  if (!isMap(item) || typeof item.name !== 'string') return list[index];
  return list.find((one) => isMap(one) && one.name === item.name);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byTitle(manifests: readonly string[]): Map<string, string> {
  return new Map(
    manifests.map((text) => {
      const {
        apiVersion = '',
        kind = '',
        metadata = {},
      } = JSON.parse(text) as {
        apiVersion?: string;
        kind?: string;
        metadata?: { namespace?: string; name?: string };
      };
      const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
      const title = titleOfObject({ group, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
      return [title, toYaml(text)];
    }),
  );
}

const parsed = (state: string | undefined): unknown => (state ? JSON.parse(state) : undefined);

function lineCounts(live: string, desired: string): { added: number; removed: number } {
  const [before, after] = [live, desired].map((text) => text.split('\n').filter(Boolean)) as [string[], string[]];
  return { added: without(after, before), removed: without(before, after) };
}

/** How many lines there are that the others do not have as often. */
function without(lines: readonly string[], others: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  }).length;
}

function toYaml(state: string | undefined): string {
  if (!state || state === 'null') return '';
  return stringify(JSON.parse(state), { sortMapEntries: true, lineWidth: 0 });
}
