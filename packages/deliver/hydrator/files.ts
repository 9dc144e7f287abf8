import { printYaml } from '@tiphys/yaml';
import type { HydrationMetadata } from './dry-commit.ts';

/** What an application's manifests are written to, and what tells of them. */
export const manifestFile = 'manifest.yaml';
export const metadataFile = 'hydrator.metadata';
export const readmeFile = 'README.md';
export const attributesFile = '.gitattributes';
/** Hosts show these files folded. */
export const attributes = `**/${readmeFile} linguist-generated=true\n**/${metadataFile} linguist-generated=true`;

/** The objects as documents of one file, as upstream prints them. */
export function manifestText(objects: readonly unknown[]): string {
  return objects.map((object) => printYaml(object as never, { dialect: 'v3' })).join('---\n');
}

export function metadataText(metadata: HydrationMetadata): string {
  const { repoURL, drySha, commands, author, date, subject, body, references } = metadata;
  const ordered = { repoURL, drySha, commands, author, date, subject, body, references };
  return `${JSON.stringify(ordered, (_, value) => (Array.isArray(value) && value.length === 0 ? undefined : value), 2)}\n`;
}

/** A folder in a repository: without leading, trailing and doubled slashes and dots; undefined if it leaves the repository. */
export function folderOf(path: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : parts.join('/');
}
