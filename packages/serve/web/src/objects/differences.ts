import { stringify } from 'yaml';
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
  version: string;
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
        version: versionOf(item.normalizedLiveState ?? '') || versionOf(item.predictedLiveState ?? ''),
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

/** A comparison of a revision with what is live, told from one to the other. */
export function differencesOf(items: readonly ManagedResource[], from: 'live' | 'revision'): ObjectDifference[] {
  return differingResources(items).map(({ title, live, desired, added, removed }) => {
    const [before, after] = from === 'live' ? [live, desired] : [desired, live];
    return {
      title,
      change: before === '' ? 'added' : after === '' ? 'removed' : 'changed',
      ...(from === 'live' ? { added, removed } : { added: removed, removed: added }),
      live: before,
      desired: after,
    };
  });
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

/** The version of the API in which an object is written. */
function versionOf(state: string): string {
  const { apiVersion = '' } = (parsed(state) ?? {}) as { apiVersion?: string };
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
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
