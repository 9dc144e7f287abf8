import type { Application } from './api/model.ts';
import { healthRank } from './status.ts';

export interface WatchEvent {
  type: string;
  application: Application;
}

const keyOf = ({ metadata }: Application) => `${metadata.namespace}/${metadata.name}`;

/** The list after one event of the watch; the order stays, new ones go last. */
export function applyEvent(items: readonly Application[], { type, application }: WatchEvent): Application[] {
  const key = keyOf(application);
  if (type === 'DELETED') return items.filter((item) => keyOf(item) !== key);
  const index = items.findIndex((item) => keyOf(item) === key);
  return index < 0 ? [...items, application] : items.with(index, application);
}

export interface ApplicationFilter {
  text: string;
  health: string | undefined;
  sync: string | undefined;
}

/** Those that match, worst health first, then by name. Every word of the text must occur somewhere. */
export function filterApplications(
  items: readonly Application[],
  { text, health, sync }: ApplicationFilter,
): Application[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items
    .filter((item) => !health || (item.status?.health?.status ?? 'Unknown') === health)
    .filter((item) => !sync || (item.status?.sync?.status ?? 'Unknown') === sync)
    .filter((item) => words.every((word) => searchText(item).includes(word)))
    .sort(
      (a, b) =>
        healthRank(a.status?.health?.status) - healthRank(b.status?.health?.status) || (keyOf(a) < keyOf(b) ? -1 : 1),
    );
}

function searchText({ metadata, spec }: Application): string {
  const source = spec.sources?.[0] ?? spec.source;
  return [
    metadata.name,
    metadata.namespace,
    spec.project,
    source?.repoURL,
    source?.path,
    spec.destination.namespace,
    spec.destination.name,
  ]
    .join(' ')
    .toLowerCase();
}

/** How many there are of each, most first. */
export function countBy(items: readonly Application[], of: (item: Application) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
