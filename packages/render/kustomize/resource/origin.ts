import { joinPath } from '../load/file-tree.ts';
import { cloneUrl, parseRepoSpec } from '../load/repo-spec.ts';
import type { Resource } from './resource.ts';

/** Where a resource came from, for the annotation of buildMetadata. Paths count from the folder that is built. */
export interface MetadataOrigin {
  readonly path: string;
  readonly repo: string;
  readonly ref: string;
}

export const rootOrigin: MetadataOrigin = { path: '', repo: '', ref: '' };

/** The origin of what an entry of a kustomization names. */
export function appendOrigin(origin: MetadataOrigin, path: string): MetadataOrigin {
  const spec = parseRepoSpec(path);
  if ('problem' in spec) return { ...origin, path: joinRelative(origin.path, path) };
  return { path: joinRelative('', spec.path), repo: cloneUrl(spec), ref: spec.ref };
}

/** Go's filepath.Join: `..` beyond the start stays. */
export function joinRelative(folder: string, path: string): string {
  const joined = [folder, path].filter((part) => part !== '').join('/');
  if (joined.startsWith('/')) return joinPath('/', joined);
  const parts: string[] = [];
  for (const part of joined.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') || (joined === '' ? '' : '.');
}

export interface ConfiguredBy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** The text of the annotation. */
export function formatOrigin(
  origin: Partial<MetadataOrigin>,
  configured?: { readonly in: string; readonly by: ConfiguredBy },
): string {
  const lines: string[] = [];
  const add = (indent: string, key: string, value: string | undefined): void => {
    if (value) lines.push(`${indent}${key}: ${value}`);
  };
  add('', 'path', origin.path);
  add('', 'repo', origin.repo);
  add('', 'ref', origin.ref);
  if (configured) {
    add('', 'configuredIn', configured.in);
    lines.push('configuredBy:');
    for (const key of ['apiVersion', 'kind', 'name', 'namespace'] as const) add('  ', key, configured.by[key]);
  }
  return lines.length === 0 ? '{}\n' : `${lines.join('\n')}\n`;
}

/** The annotation's text for what a plugin made or changed, from the text of its configuration's own origin. */
export function formatConfiguredBy(originText: string, config: Resource): string {
  const field = (name: string): string =>
    originText
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? '';
  const { apiVersion, kind, name, namespace } = config;
  return formatOrigin(
    { repo: field('repo'), ref: field('ref') },
    { in: field('path'), by: { apiVersion, kind, name, namespace } },
  );
}
