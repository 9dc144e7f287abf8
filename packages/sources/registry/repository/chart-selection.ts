import { readRange, readVersion } from '@tiphys/template';
import { chartAmbiguous, chartNotFound, chartVersionNotFound } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import { nearVersions } from '../oci/oci-charts.ts';
import type { ChartVersion, RepositoryIndex } from './repository-index.ts';

export interface Selection {
  readonly entry: ChartVersion;
  /** An exact version was asked for and is not there: another one was taken, as Helm does, which it logs. */
  readonly substituted: boolean;
}

/**
 * The version of a chart that Helm takes: the very one, else the newest in the range; without a wanted version the newest that
 * is no prerelease. Throws `RegistryError` in Helm's words.
 */
export function selectVersion(index: RepositoryIndex, chart: string, wanted: string, remote: string): Selection {
  const versions = index.entries.get(chart);
  if (!versions) {
    throw new RegistryError(chartNotFound, 'no chart name found', {
      message: `The repository has no chart ${JSON.stringify(chart)}`,
      place: { remote },
      evidence: { chart, 'charts there': nearNames([...index.entries.keys()], chart) },
      remedies: ['Correct the name of the chart, or the URL of the repository'],
    });
  }
  if (versions.length === 0) throw notFound('no chart version found', chart, wanted, versions, remote);
  const test = readRange(wanted === '' ? '*' : wanted);
  if (typeof test === 'string') {
    throw new RegistryError(chartVersionNotFound, test, {
      message: `${JSON.stringify(wanted)} is neither a version nor a range: ${test}`,
      place: { remote },
      evidence: { chart, versions: nearVersions(versions.map(({ version }) => version)) },
      remedies: ['Write a version (1.2.3) or a range (^1.2, >=1.2 <2)'],
    });
  }
  const exact = wanted === '' ? undefined : versions.find(({ version }) => version === wanted);
  if (exact) return { entry: unambiguous(exact, versions, remote), substituted: false };
  const entry = versions.find(({ version }) => {
    const parsed = readVersion(version);
    return typeof parsed === 'object' && test(parsed);
  });
  if (!entry) throw notFound(`no chart version found for ${chart}-${wanted}`, chart, wanted, versions, remote);
  return { entry: unambiguous(entry, versions, remote), substituted: wanted !== '' && !isRange(wanted) };
}

/** Helm's idea of what is a range and what an exact version. */
function isRange(text: string): boolean {
  if (/[\^~<>=!*]/.test(text) || text.includes('||') || text.includes(' - ')) return true;
  return /[xX]/.test(text.split(/[-+]/)[0] ?? '');
}

/** Two packages for one version: anyone who can add to an index could pass off his own as somebody else's. */
function unambiguous(entry: ChartVersion, versions: readonly ChartVersion[], remote: string): ChartVersion {
  const twin = versions.find(
    (other) =>
      other !== entry && other.version === entry.version && other.digest !== '' && other.digest !== entry.digest,
  );
  if (!twin || entry.digest === '') return entry;
  const words = `the index has two different packages for ${entry.name}-${entry.version}`;
  throw new RegistryError(chartAmbiguous, words, {
    place: { remote },
    evidence: { chart: entry.name, version: entry.version, digests: `${entry.digest}, ${twin.digest}` },
    remedies: ['Have the repository index each version once; release a new version to replace one'],
  });
}

function notFound(words: string, chart: string, wanted: string, versions: readonly ChartVersion[], remote: string) {
  const texts = versions.map(({ version }) => version);
  return new RegistryError(chartVersionNotFound, words, {
    message: `The repository has no version ${wanted || 'without prerelease'} of chart ${JSON.stringify(chart)}`,
    place: { remote },
    evidence: { chart, wanted: wanted || '*', versions: nearVersions(texts) },
    remedies: ['Choose a version that is there, or publish the one that is wanted'],
  });
}

/** The names that are most alike, for evidence. */
function nearNames(names: readonly string[], wanted: string): string {
  if (names.length === 0) return 'none';
  const score = (name: string): number => {
    const [a, b] = [name.toLowerCase(), wanted.toLowerCase()];
    if (a.includes(b) || b.includes(a)) return 0;
    let same = 0;
    while (same < a.length && a[same] === b[same]) same += 1;
    return 100 - same;
  };
  const near = [...names].sort((a, b) => score(a) - score(b) || (a < b ? -1 : 1)).slice(0, 8);
  return names.length > 8 ? `${near.join(', ')}, … (${names.length} in all)` : near.join(', ');
}
