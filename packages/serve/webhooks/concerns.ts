import { isInRange } from '@tiphys/git';
import { touchesPaths } from '@tiphys/glob';
import type { PushEvent, RegistryEvent, WebhookEvent } from './event.ts';
import { shortRevision } from './git-senders.ts';

/** The part of a source that decides. */
export interface Announcement {
  readonly repoURL: string;
  readonly targetRevision?: string | undefined;
  readonly tagPrefix?: string | undefined;
  /** What `manifest-generate-paths` asks for, of `refreshPaths`; empty for all files. */
  readonly paths: readonly string[];
}

/** Whether the source of an application has to be looked at again after the event. Upstream's rules. */
export function concerns(event: WebhookEvent, source: Announcement): boolean {
  if (event.kind === 'pull-request') return false;
  return event.kind === 'push' ? concernsGit(event, source) : concernsRegistry(event, source);
}

function concernsGit(event: PushEvent, source: Announcement): boolean {
  const target = shortRevision(source.targetRevision ?? '');
  const isHead = target === '' || target === 'HEAD';
  if (isHead ? !event.touchedHead : !isRevision(event.revision, source)) return false;
  return usesOne(event.urls, source.repoURL) && touchesPaths(source.paths, event.changedFiles);
}

function concernsRegistry(event: RegistryEvent, { repoURL, ...source }: Announcement): boolean {
  const plain = (url: string) =>
    url
      .replace(/^oci:\/\//, '')
      .replace(/\/$/, '')
      .toLowerCase();
  return (
    plain(repoURL) === plain(`${event.registry}/${event.repository}`) && isRevision(event.tag, { repoURL, ...source })
  );
}

function isRevision(revision: string, { targetRevision = '', tagPrefix = '' }: Announcement): boolean {
  const isRef = /^refs\/(heads|tags)\//.test(targetRevision);
  const target = isRef ? shortRevision(targetRevision) : targetRevision;
  if (revision === target) return true;
  if (!revision.startsWith(tagPrefix)) return false;
  return isInRange(revision.slice(tagPrefix.length), target);
}

const userPattern = /^[\w.][\w.-]{0,30}[\w.$-]?@/;

/** Whether one of the addresses and the source's are of one repository: any scheme, user and port, with `.git` or without. */
function usesOne(urls: readonly string[], repoURL: string): boolean {
  const own = spellings(repoURL);
  return urls.some((url) => {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed?.hostname) return false;
    const key = `${parsed.hostname}/${parsed.pathname.replace(/^\//, '')}`.toLowerCase();
    return own.has(key) || own.has(key.replace(/\.git$/, ''));
  });
}

/** `host/path` as the address can be read: `git@host:7/x` may mean the port 7 or the folder 7. */
function spellings(repoURL: string): Set<string> {
  const text = repoURL
    .toLowerCase()
    .replace(/^(https?|ssh):\/\//, '')
    .replace(userPattern, '');
  const found = new Set<string>();
  for (const separator of [/^([^:/]+)(?::\d+)?[:/](.+)$/, /^([^:/]+)[:/](.+)$/]) {
    const [, host, path] = separator.exec(text) ?? [];
    if (!host || !path) continue;
    for (const name of new Set([host, host.replace(/^(alt)?ssh\./, '')])) {
      found.add(`${name}/${path}`);
      found.add(`${name}/${path.replace(/\.git$/, '')}`);
    }
  }
  return found;
}
