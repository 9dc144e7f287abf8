import { join } from 'node:path/posix';
import { DiagnosisError, type Evidence, within } from '@tiphys/diagnosis';
import {
  type Access,
  describeAccess,
  type HelmRepositories,
  matchingVersion,
  nearVersions,
  type OciCharts,
  parseOciReference,
  RegistryError,
  resolveReference,
  selectVersion,
  sha256,
  withoutSecrets,
} from '@tiphys/registry';
import { readVersion, satisfies } from '@tiphys/template';
import { YamlError } from '@tiphys/yaml';
import type { ChartDependency, ChartMetadata } from '../chart/chart.ts';
import type { ChartFiles } from '../chart/chart-files.ts';
import { MetadataError } from '../chart/metadata.ts';
import { chartDependencyMissing, chartInvalid } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import { type LockedDependency, lockDigest, lockDigestOfHelm2, readLock } from './chart-lock.ts';
import { checkDependencyNames } from './dependency-names.ts';
import { packChart } from './pack-chart.ts';

/** Where dependencies come from. */
export interface DependencySources {
  /** Folder of the chart that depends on them, in its repository; empty for its root. */
  readonly chartPath: string;
  readonly repositories: HelmRepositories;
  readonly charts: OciCharts;
  /** How a repository is reached; `@name` and `alias:name` become its URL. Undefined for a name that nobody knows. */
  place(repository: string): { readonly url: string; readonly access: Access } | undefined;
  /** The chart in a folder, by its path from the folder of the chart that depends on it; undefined if there is none. */
  folder(path: string): Promise<ChartFiles | undefined>;
  /** How old an index may be, in milliseconds. */
  readonly maxAge?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface FetchedDependency extends LockedDependency {
  /** Where it belongs: `charts/web-1.2.0.tgz`. */
  readonly path: string;
  readonly archive: Uint8Array;
  /** sha256 of the package. */
  readonly digest: string;
}

const maxPackageBytes = 100 << 20;

/**
 * What `helm dependency build` would put into charts/: the versions of the lock file if there is one, which must be that of these
 * dependencies; the newest in the wanted ranges else. Dependencies without a repository lie in charts/ already. Throws with cause
 * M3: which dependency, from where, why not.
 */
export async function fetchDependencies(
  metadata: ChartMetadata,
  lockText: string | undefined,
  sources: DependencySources,
): Promise<FetchedDependency[]> {
  checkDependencyNames(metadata);
  const wanted = (metadata.dependencies ?? []).map((dependency) => withUrl(dependency, sources));
  const chosen =
    lockText === undefined ? wanted : locked(metadata, { wanted, text: lockText, chartPath: sources.chartPath });
  const fetched = new Map<string, FetchedDependency>();
  for (const dependency of chosen) {
    if (dependency.repository === '') continue;
    const found = await fetchOne(dependency, sources);
    fetched.set(found.path, found);
  }
  return [...fetched.values()];
}

function withUrl(dependency: ChartDependency, sources: DependencySources): ChartDependency {
  const { repository, name } = dependency;
  if (!/^(?:@|alias:)/.test(repository)) return dependency;
  const place = sources.place(repository);
  if (place) return { ...dependency, repository: place.url };
  throw new HelmError(chartDependencyMissing, `no repository definition for ${repository}`, {
    message: `The dependency ${name} comes from ${repository}, and no repository of that name is registered`,
    place: { file: join(sources.chartPath, 'Chart.yaml'), field: 'dependencies' },
    remedies: ['Register the repository under that name with type helm, or write its URL in Chart.yaml'],
  });
}

function locked(
  metadata: ChartMetadata,
  { wanted, text, chartPath }: { wanted: readonly ChartDependency[]; text: string; chartPath: string },
): LockedDependency[] {
  const file = metadata.apiVersion === 'v1' ? 'requirements.lock' : 'Chart.lock';
  const place = { file: join(chartPath, file) };
  let lock: ReturnType<typeof readLock>;
  try {
    lock = readLock(text);
  } catch (error) {
    if (!(error instanceof YamlError || error instanceof MetadataError)) throw error;
    const words = `cannot load ${file}: ${error instanceof YamlError ? error.goMessage : error.message}`;
    throw new HelmError(chartInvalid, words, { place, remedies: ['Lock the dependencies again'] }, error);
  }
  const digests = [lockDigest(wanted, lock.dependencies)];
  // The lock was made of what Chart.yaml says, and Helm hashes what an alias stands for.
  if (metadata.apiVersion === 'v1') digests.push(lockDigestOfHelm2(metadata.dependencies ?? []));
  if (digests.includes(lock.digest)) return [...lock.dependencies];
  const differing = differences(wanted, lock.dependencies);
  throw new HelmError(
    chartDependencyMissing,
    metadata.apiVersion === 'v1'
      ? 'the lock file (requirements.lock) is out of sync with the dependencies file (requirements.yaml). Please update the dependencies'
      : "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update the dependencies with 'helm dependency update'",
    {
      message: `${file} was made for other dependencies than the chart has now`,
      place,
      evidence: { differences: differing || 'another field than name, version and repository' },
      remedies: [{ text: 'Lock the dependencies again and commit the file', paste: 'helm dependency update' }],
    },
  );
}

function differences(wanted: readonly ChartDependency[], found: readonly LockedDependency[]): string {
  const lines: string[] = [];
  for (const { name, version, repository } of wanted) {
    const entry = found.find((candidate) => candidate.name === name);
    if (!entry) lines.push(`${name} is not locked`);
    else if (entry.repository !== repository)
      lines.push(`${name} is locked to ${entry.repository}, wanted from ${repository}`);
    else if (version !== '' && !satisfies(entry.version, version))
      lines.push(`${name} is locked to ${entry.version}, wanted ${version}`);
  }
  for (const { name } of found)
    if (!wanted.some((dependency) => dependency.name === name)) lines.push(`${name} is locked and not wanted`);
  return lines.join('; ');
}

async function fetchOne(dependency: LockedDependency, sources: DependencySources): Promise<FetchedDependency> {
  const { name, version, repository } = dependency;
  try {
    if (repository.startsWith('file://')) return await packFolder(dependency, sources);
    const place = sources.place(repository) ?? { url: repository, access: {} };
    return repository.startsWith('oci://')
      ? await pullOne(dependency, place.access, sources)
      : await downloadOne(dependency, place, sources);
  } catch (error) {
    sources.signal?.throwIfAborted();
    if (!(error instanceof DiagnosisError)) throw error;
    const shown = withoutSecrets(repository);
    const { evidence } = error.diagnosis;
    throw new DiagnosisError(
      {
        ...error.diagnosis,
        code: chartDependencyMissing.code,
        cause: chartDependencyMissing.cause,
        message: `The dependency ${name} ${version} of ${shown} can not be fetched: ${error.diagnosis.message}`,
        evidence: [{ name: 'dependency', value: `${name} ${version} of ${shown}` } satisfies Evidence, ...evidence],
        causes: [error.diagnosis],
      },
      { handling: error.handling, cause: error },
    );
  }
}

async function downloadOne(
  { name, version, repository }: LockedDependency,
  { url, access }: { readonly url: string; readonly access: Access },
  { chartPath, repositories, maxAge = 0, signal }: DependencySources,
): Promise<FetchedDependency> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new HelmError(chartDependencyMissing, `could not find protocol handler for: ${url.split(':')[0]}`, {
      message: `${JSON.stringify(repository)} is no URL of a Helm repository or a registry`,
      place: { file: join(chartPath, 'Chart.yaml'), field: 'dependencies' },
      remedies: ['Write https://…, oci://…, file://…, or @name of a registered repository'],
    });
  }
  const place = { url, access };
  const { index } = await repositories.index(place, { maxAge, signal });
  const { entry } = selectVersion(index, name, version, withoutSecrets(url));
  const [first] = entry.urls;
  if (first === undefined)
    throw new RegistryError(chartDependencyMissing, `chart ${JSON.stringify(name)} has no downloadable URLs`);
  const archive = await repositories.package(resolveReference(url, first), place, { digest: entry.digest, signal });
  return fetchedAs(name, entry.version, repository, archive);
}

async function pullOne(
  { name, version, repository }: LockedDependency,
  access: Access,
  { charts, signal }: DependencySources,
): Promise<FetchedDependency> {
  const reference = parseOciReference(`${repository.replace(/\/$/, '')}/${name}`);
  const exact = typeof readVersion(version) === 'object';
  const tag = exact
    ? version
    : matchingVersion(await charts.versions(reference, access, { signal }), version, reference);
  try {
    const tagged = parseOciReference(`${reference.registry}/${reference.repository}:${tag}`);
    const { archive } = await charts.pull(tagged, access, { maxBytes: maxPackageBytes, signal });
    return fetchedAs(name, tag, repository, archive);
  } catch (error) {
    if (!exact || !(error instanceof RegistryError) || error.diagnosis.code !== 'ChartNotFound') throw error;
    // What is there helps more than what is not.
    const versions = await charts.versions(reference, access, { signal }).catch(() => []);
    throw within(error, { evidence: { versions: nearVersions(versions), credentials: describeAccess(access) } });
  }
}

async function packFolder(
  { name, version, repository }: LockedDependency,
  { chartPath, folder }: DependencySources,
): Promise<FetchedDependency> {
  const path = repository.slice('file://'.length);
  const inRepository = join(chartPath, path);
  const files = path.startsWith('/') ? undefined : await folder(path);
  if (!files) {
    throw new HelmError(chartDependencyMissing, `directory ${path} not found`, {
      message: path.startsWith('/')
        ? `${repository} is not inside the repository of the chart`
        : `There is no chart at ${inRepository}: ${repository} counts from the folder of the chart`,
      place: { file: join(chartPath, 'Chart.yaml'), field: 'dependencies' },
      evidence: { repository },
      remedies: ['Write the path from the folder of the chart to a folder of the same repository'],
    });
  }
  const { chart, archive } = packChart(files, inRepository);
  const found = chart.metadata.version;
  if (version === '' || satisfies(found, version)) return fetchedAs(chart.metadata.name, found, repository, archive);
  throw new HelmError(chartDependencyMissing, `can't get a valid version for dependency ${name}`, {
    message: `The chart at ${inRepository} has version ${found}`,
    place: { file: join(inRepository, 'Chart.yaml'), field: 'version' },
    evidence: { wanted: version, found },
    remedies: ['Change the version in one of the two charts'],
  });
}

function fetchedAs(name: string, version: string, repository: string, archive: Uint8Array): FetchedDependency {
  return { name, version, repository, path: `charts/${name}-${version}.tgz`, archive, digest: sha256(archive) };
}
