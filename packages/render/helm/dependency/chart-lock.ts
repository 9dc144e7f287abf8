import { createHash } from 'node:crypto';
import { encodeJson, type Value } from '@tiphys/template';
import { printYaml } from '@tiphys/yaml';
import type { ChartDependency } from '../chart/chart.ts';
import { readYaml } from '../chart/load-values.ts';
import { MetadataReader } from '../chart/metadata.ts';

/** A dependency with the one version that was chosen. */
export interface LockedDependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
}

/** Chart.lock (requirements.lock of old charts). */
export interface ChartLock {
  readonly dependencies: readonly LockedDependency[];
  readonly digest: string;
  /** As it was written; empty if it was not. */
  readonly generated: string;
}

/** What a dependency is hashed as. */
type Hashed = LockedDependency & Partial<ChartDependency>;

/** Reads a lock file. Throws `YamlError` or `MetadataError` in Helm's words. */
export function readLock(text: string): ChartLock {
  const reader = new MetadataReader(readYaml(text), 'v2.Lock');
  const dependencies = (reader.list('dependencies', '[]*v2.Dependency') ?? []).map((item) => {
    const fields = new MetadataReader(item, 'v2.Dependency', 'Lock.dependencies');
    return { name: fields.text('name'), version: fields.text('version'), repository: fields.text('repository') };
  });
  return { dependencies, digest: reader.text('digest'), generated: reader.text('generated') };
}

export function printLock({ dependencies, digest, generated }: ChartLock): string {
  return printYaml({
    dependencies: dependencies.map(({ name, repository, version }) => ({
      name,
      repository,
      ...(version === '' ? {} : { version }),
    })),
    digest,
    generated,
  });
}

/** What `digest` of a lock must be: of the wanted and the chosen dependencies. */
export function lockDigest(wanted: readonly ChartDependency[], locked: readonly LockedDependency[]): string {
  return digestOf(`[${dependenciesJson(wanted)},${dependenciesJson(locked)}]`);
}

/** What it was for Helm 2: of the wanted dependencies alone. */
export function lockDigestOfHelm2(wanted: readonly ChartDependency[]): string {
  return digestOf(`{"dependencies":${dependenciesJson(wanted)}}`);
}

function digestOf(json: string): string {
  return `sha256:${createHash('sha256').update(json).digest('hex')}`;
}

function dependenciesJson(dependencies: readonly Hashed[]): string {
  return `[${dependencies.map(dependencyJson).join(',')}]`;
}

/** The fields in the order of Go's struct, empty ones left out where Go leaves them out. */
function dependencyJson(dependency: Hashed): string {
  const {
    name,
    version,
    repository,
    condition = '',
    tags = [],
    enabled = false,
    importValues = [],
    alias = '',
  } = dependency;
  const fields: [string, Value][] = [['name', name]];
  if (version !== '') fields.push(['version', version]);
  fields.push(['repository', repository]);
  if (condition !== '') fields.push(['condition', condition]);
  if (tags.length > 0) fields.push(['tags', [...tags]]);
  if (enabled) fields.push(['enabled', true]);
  if (importValues.length > 0) fields.push(['import-values', [...importValues]]);
  if (alias !== '') fields.push(['alias', alias]);
  return `{${fields.map(([key, value]) => `${encodeJson(key)}:${encodeJson(value)}`).join(',')}}`;
}
