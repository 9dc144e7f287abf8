import type { Facet } from '../api/application-list.ts';

/** What Argo CD's addresses of its list call our filters; several values have commas between them there. */
const listNames: readonly [theirs: string, ours: Facet][] = [
  ['proj', 'project'],
  ['namespace', 'destination'],
  ['labels', 'label'],
  ['repo', 'repository'],
  ['health', 'health'],
  ['sync', 'sync'],
  ['cluster', 'cluster'],
  ['autoSync', 'autoSync'],
];

const autoSync: ReadonlyMap<string, string> = new Map([
  ['Enabled', 'on'],
  ['Disabled', 'off'],
]);

/** The query of our list for one of Argo CD's, as bookmarks and runbooks have it; ours stays as it is. */
export function ownListSearch(search: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(search);
  for (const [theirs, ours] of listNames) {
    const given = search.getAll(theirs);
    if (given.length === 0 || (theirs === ours && !given.some((value) => needsReading(theirs, value)))) continue;
    own.delete(theirs);
    for (const value of given.flatMap((one) => one.split(',')))
      if (value !== '') own.append(ours, ownValue(theirs, value));
  }
  for (const [theirs, ours] of [
    ['search', 'text'],
    ['showFavorites', 'favourites'],
  ] as const) {
    const value = own.get(theirs);
    own.delete(theirs);
    if (value && !own.has(ours)) own.set(ours, value);
  }
  return own;
}

function needsReading(name: string, value: string): boolean {
  return value === '' || value.includes(',') || ownValue(name, value) !== value;
}

function ownValue(name: string, value: string): string {
  if (name === 'autoSync') return autoSync.get(value) ?? value;
  // a cluster with its address behind it
  if (name === 'cluster') return value.replace(/ \(\S*\)$/, '');
  return name === 'labels' ? decoded(value) : value;
}

/** Labels are escaped twice there. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Tabs of our drawer of an object, by Argo CD's names. */
const objectTabs: ReadonlyMap<string, string> = new Map([
  ['summary', 'manifest'],
  ['manifest', 'manifest'],
  ['desiredManifest', 'desired'],
  ['diff', 'diff'],
  ['events', 'events'],
  ['logs', 'logs'],
  ['exec', 'terminal'],
]);

/** The tab of an object's drawer that `tab` of Argo CD's address asks for. */
export function ownObjectTab(search: URLSearchParams): string | undefined {
  return objectTabs.get(search.get('tab') ?? '');
}

/**
 * The tab of an application's page that one of Argo CD's addresses asks for, where its panel of the application itself, or that
 * of its history, is opened by the query; undefined for others.
 */
export function ownApplicationTab(search: URLSearchParams, name: string): string | undefined {
  if (search.has('rollback')) return 'history';
  const [, kind, , asked] = (search.get('node') ?? '').split('/');
  if (kind !== 'Application' || asked !== name) return undefined;
  const tab = search.get('tab') ?? '';
  if (tab === 'diff' || tab === 'events') return tab;
  return ['summary', 'parameters', 'manifest'].includes(tab) ? 'edit' : undefined;
}

/** The filters of objects that `resource` of Argo CD's address has: `kind:Pod,health:Degraded`. */
export function ownTreeSearch(search: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(search);
  for (const part of (search.get('resource') ?? '').split(',')) {
    const colon = part.indexOf(':');
    const [name, value] = [part.slice(0, colon), part.slice(colon + 1)];
    if (['kind', 'health', 'sync', 'namespace'].includes(name)) own.append(name, value);
    if (name === 'name') own.set('text', value);
  }
  own.delete('resource');
  return own;
}
