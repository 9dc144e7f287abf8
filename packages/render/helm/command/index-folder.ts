import { existsSync, globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { indexFault, readIndex, sha256 } from '@tiphys/registry';
import { compareVersions, readVersion, type Value } from '@tiphys/template';
import { type JsonValue, type Printable, parseYaml, printYaml } from '@tiphys/yaml';
import type { Chart, ChartMetadata } from '../chart/chart.ts';
import { loadArchive } from '../chart/load-chart.ts';
import { HelmError } from '../problems/helm-error.ts';
import { FlagError } from './flags.ts';

export interface IndexFolderOptions {
  /** Put before the names of the packages. */
  readonly url: string;
  /** An index whose entries are kept where the folder has none of that name and version. */
  readonly merge: { readonly path: string; readonly shown: string } | undefined;
  readonly json: boolean;
  readonly now: Date;
}

type Entry = { readonly [key: string]: Printable };
const maxIndexBytes = 64 << 20;

/** Writes index.yaml for the packages of a folder and of the folders in it. */
export function indexFolder(folder: string, { url, merge, json, now }: IndexFolderOptions): void {
  const created = now.toISOString();
  const entries = new Map<string, Entry[]>();
  const add = (name: string, entry: Entry): void => {
    entries.set(name, [...(entries.get(name) ?? []), entry]);
  };
  for (const file of globSync(['*.tgz', '*/*.tgz'], { cwd: folder }).sort()) {
    const data = readFileSync(join(folder, file));
    const chart = chartOf(data);
    if (!chart) continue;
    add(chart.metadata.name, {
      ...metadataFields(chart.metadata),
      created,
      digest: sha256(data),
      urls: [urlOf(url, file.replaceAll('\\', '/'))],
    });
  }
  if (merge !== undefined) mergeIndex(merge, entries, add, { json, created });
  for (const list of entries.values()) list.sort(newestFirst);
  const sorted = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  write(join(folder, 'index.yaml'), { apiVersion: 'v1', entries: sorted, generated: created }, json);
}

/** Other archives may lie in the folder. */
function chartOf(data: Buffer): Chart | undefined {
  try {
    return loadArchive(data);
  } catch (error) {
    if (error instanceof HelmError) return undefined;
    throw error;
  }
}

function mergeIndex(
  { path, shown }: { path: string; shown: string },
  entries: ReadonlyMap<string, readonly Entry[]>,
  add: (name: string, entry: Entry) => void,
  { json, created }: { json: boolean; created: string },
): void {
  if (!existsSync(path)) {
    write(path, { apiVersion: 'v1', entries: {}, generated: created }, json);
    return;
  }
  const data = readFileSync(path);
  try {
    readIndex(data, maxIndexBytes);
  } catch (error) {
    const fault = indexFault(error);
    if (fault === undefined) throw error;
    throw new FlagError(`merge failed: error loading ${shown}: ${fault}`);
  }
  const before = (parseYaml(data) as { entries?: Record<string, JsonValue> | null } | null)?.entries ?? {};
  for (const [name, versions] of Object.entries(before)) {
    for (const version of Array.isArray(versions) ? versions : []) {
      if (typeof version !== 'object' || version === null || Array.isArray(version)) continue;
      if (!entries.get(name)?.some((known) => known.version === version.version)) add(name, version);
    }
  }
}

function urlOf(base: string, file: string): string {
  if (base === '') return file;
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*)(.*)$/s.exec(base);
  return parts ? `${parts[1]}${posix.join('/', parts[2] ?? '', file)}` : posix.join(base, file);
}

function newestFirst(a: Entry, b: Entry): number {
  const [x, y] = [readVersion(String(a.version)), readVersion(String(b.version))];
  if (typeof x === 'string' || typeof y === 'string') return typeof x === 'string' ? 1 : -1;
  return compareVersions(y, x);
}

function write(path: string, index: { readonly [key: string]: Printable }, json: boolean): void {
  const draft = join(dirname(path), `.index.${process.pid}.tmp`);
  writeFileSync(draft, json ? JSON.stringify(index, undefined, 2) : printYaml(index));
  renameSync(draft, path);
}

/** Chart.yaml as Go prints it: what is empty is left out. */
function metadataFields(metadata: ChartMetadata): Entry {
  const fields: [string, Printable][] = [
    ['annotations', metadata.annotations],
    ['apiVersion', metadata.apiVersion],
    ['appVersion', metadata.appVersion],
    ['condition', metadata.condition],
    ['dependencies', metadata.dependencies?.map(dependencyFields)],
    ['deprecated', metadata.deprecated],
    ['description', metadata.description],
    ['home', metadata.home],
    ['icon', metadata.icon],
    ['keywords', metadata.keywords],
    ['kubeVersion', metadata.kubeVersion],
    [
      'maintainers',
      metadata.maintainers?.map(({ name, email, url }) =>
        nonEmpty([
          ['email', email],
          ['name', name],
          ['url', url],
        ]),
      ),
    ],
    ['name', metadata.name],
    ['sources', metadata.sources],
    ['tags', metadata.tags],
    ['type', metadata.type],
    ['version', metadata.version],
  ];
  return nonEmpty(fields);
}

function dependencyFields(dependency: NonNullable<ChartMetadata['dependencies']>[number]): Entry {
  const { name, version, repository, condition, tags, alias, importValues } = dependency;
  const imports = importValues.map((value) => printable(value));
  return {
    name,
    repository,
    ...nonEmpty([
      ['alias', alias],
      ['condition', condition],
      ['import-values', imports],
      ['tags', tags],
      ['version', version],
    ]),
  };
}

function printable(value: Value): Printable {
  return value as Printable;
}

function nonEmpty(fields: readonly (readonly [string, Printable])[]): Entry {
  const isEmpty = (value: Printable): boolean =>
    value === undefined ||
    value === '' ||
    value === false ||
    (Array.isArray(value) && value.length === 0) ||
    (value instanceof Map && value.size === 0);
  return Object.fromEntries(fields.filter(([, value]) => !isEmpty(value)));
}
