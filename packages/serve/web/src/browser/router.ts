import { useMemo, useSyncExternalStore } from 'react';
import { home } from './navigation.ts';

/** Pages by path below the base address: `/applications`, `/applications/NAMESPACE/NAME`, the same for `/applicationsets`, `/resources`, `/rollouts` and `/workflows`, `/events`, `/settings/repos`, `/settings/clusters`, `/settings/projects`, `/settings/projects/NAME`, `/settings/notifications`, `/settings/accounts`, `/settings/certs`, `/settings/gpgkeys`, `/settings/appearance`, `/settings/plugins`, `/user-info`, `/swagger-ui`, `/timeline`, `/upgrade`, `/diagnoses`, `/diagnoses/CODE`, `/gallery`, `/login`. */
export type Route =
  | { page: 'applications' }
  | { page: 'application'; namespace: string; name: string; tab: string }
  | { page: 'applicationsets' | 'resources' }
  | { page: 'applicationset'; namespace: string; name: string; tab: string }
  | { page: 'rollouts' | 'workflows' | 'events' }
  | { page: 'rollout' | 'workflow'; namespace: string; name: string }
  | { page: 'repositories' | 'clusters' | 'projects' | 'notifications' }
  | { page: 'accounts' | 'certificates' | 'gpg' | 'user' | 'plugins' | 'timeline' | 'upgrade' | 'api' | 'gallery' }
  | { page: 'project'; name: string }
  /** What diagnoses mean; of one where it is named. */
  | { page: 'diagnoses'; code: string }
  | { page: 'login' }
  | { page: 'unknown'; path: string };

/** By their names in the peers' addresses. */
const settingPages = new Map<string, 'accounts' | 'certificates' | 'gpg' | 'user' | 'plugins'>([
  ['accounts', 'accounts'],
  ['certs', 'certificates'],
  ['gpgkeys', 'gpg'],
  ['appearance', 'user'],
  ['plugins', 'plugins'],
]);

export function parseRoute(path: string): Route {
  const [first = '', second, third, tab] = path.split('/').filter(Boolean).map(decodeURIComponent);
  if (first === '' && home === 'rollouts') return { page: 'rollouts' };
  if (first === '' || (first === 'applications' && second === undefined)) return { page: 'applications' };
  if (first === 'login') return { page: 'login' };
  if (first === 'diagnoses') return { page: 'diagnoses', code: second ?? '' };
  // the peers have a page of settings, and one of help
  if (first === 'settings' && second === undefined) return { page: 'projects' };
  if (first === 'help' && second === undefined) return { page: 'user' };
  if (first === 'settings' && second === 'repos') return { page: 'repositories' };
  const setting = first === 'settings' ? settingPages.get(second ?? '') : undefined;
  if (setting) return { page: setting };
  if (first === 'settings' && second === 'projects' && third !== undefined) return { page: 'project', name: third };
  if (first === 'user-info') return { page: 'user' };
  if ((first === 'timeline' || first === 'upgrade' || first === 'gallery') && second === undefined)
    return { page: first };
  if (first === 'swagger-ui') return { page: 'api' };
  if (first === 'settings' && (second === 'clusters' || second === 'projects' || second === 'notifications'))
    return { page: second };
  if (first === 'applicationsets') {
    if (second === undefined) return { page: 'applicationsets' };
    return third === undefined
      ? { page: 'applicationset', namespace: '', name: second, tab: 'tree' }
      : { page: 'applicationset', namespace: second, name: third, tab: tab ?? 'tree' };
  }
  if (first === 'resources' && second === undefined) return { page: first };
  if (first === 'events' && second === undefined) return { page: 'events' };
  if (first === 'rollouts' || first === 'workflows') {
    if (second === undefined) return { page: first };
    const page = first === 'rollouts' ? 'rollout' : 'workflow';
    if (third !== undefined) return { page, namespace: second, name: third };
  }
  // The peers' links leave the namespace out for applications of the control plane's own namespace.
  if (first === 'applications' && second !== undefined) {
    return third === undefined
      ? { page: 'application', namespace: '', name: second, tab: 'tree' }
      : { page: 'application', namespace: second, name: third, tab: tab ?? 'tree' };
  }
  return { page: 'unknown', path };
}

function base(): string {
  return new URL(document.baseURI).pathname.replace(/(?<!\/)\/+$/, '');
}

function currentPath(): string {
  const { pathname } = window.location;
  return pathname.startsWith(base()) ? pathname.slice(base().length) : pathname;
}

const listeners = new Set<() => void>();

export function navigate(path: string): void {
  window.history.pushState(undefined, '', `${base()}${path}`);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

/** The path below the base address, without the query. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, currentPath);
}

export function useRoute(): Route {
  const path = usePath();
  return useMemo(() => parseRoute(path), [path]);
}

/** What becomes of parameters of an address: a list is the parameter as often as it has values. */
type SearchChanges = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The query of the address, and how to change it: `undefined` takes a parameter out. What was before is not kept in the browser's history. */
export function useSearch(): [URLSearchParams, (changes: SearchChanges) => void] {
  const text = useSyncExternalStore(subscribe, currentSearch);
  const search = useMemo(() => new URLSearchParams(text), [text]);
  return [search, changeSearch];
}

/** Puts a query in the place of the address's. */
export function replaceSearch(text: string): void {
  window.history.replaceState(undefined, '', `${window.location.pathname}${text ? `?${text}` : ''}`);
  for (const listener of listeners) listener();
}

const currentSearch = () => window.location.search;

function changeSearch(changes: SearchChanges): void {
  const next = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    for (const one of [value ?? []].flat()) if (one !== '') next.append(name, one);
  }
  replaceSearch(next.toString());
}
