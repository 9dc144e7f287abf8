import { type DocumentNode, lineOf, type Printable, type Shape, YamlReader } from '@tiphys/yaml';
import { DecodeError, decodeJson } from '../decode/go-json.ts';
import { GoError, reworded, wrapped } from '../failure/go-error.ts';
import type { Loader } from '../load/loader.ts';
import type { HelmChart, HelmChartArgs, Kustomization } from './kustomization.ts';
import { kustomizationType } from './kustomization-types.ts';

export const kustomizationFileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'] as const;

/** A kustomization with its place, so that every entry of it has a line. */
export interface KustomizationFile {
  readonly fields: Kustomization;
  /** Name in its folder. */
  readonly name: string;
  /** Path from the root of the tree, without a leading `/`. */
  readonly file: string;
  lineOf(path: readonly (string | number)[]): number;
  /** The field that gave an entry which the file does not have; absent where all are the file's. */
  givenBy?(entry: string, index: readonly number[]): string | undefined;
}

export const jsonShape: Shape<Printable, Map<string, Printable>> = {
  map: () => new Map(),
  set: (map, key, value) => map.set(key, value),
  list: (items) => items,
  scalar: (value) => value,
};

/**
 * Reads the kustomization of a folder, in Kustomize's words. Deprecated fields are told and moved to their successors.
 * `edit` may change the fields before they are checked.
 */
export async function readKustomization(
  loader: Loader,
  warn: (line: string) => void,
  edit?: (fields: Kustomization) => void,
): Promise<KustomizationFile> {
  const { name, data } = await findFile(loader);
  const file = loader.display(name);
  const parsed = parseKustomization(data, file);
  for (const line of deprecations(parsed.fields)) warn(line);
  modernize(parsed.fields);
  try {
    edit?.(parsed.fields);
    refuseEmpty(parsed.fields);
    enforce(parsed.fields, loader.root);
  } catch (error) {
    throw reworded(error, (error as Error).message, { place: { file } });
  }
  return { ...parsed, name, file };
}

async function findFile(loader: Loader): Promise<{ name: string; data: Uint8Array }> {
  const found: { name: string; data: Uint8Array }[] = [];
  for (const name of kustomizationFileNames) {
    try {
      found.push({ name, data: await loader.load(name) });
    } catch (error) {
      // As Kustomize: what can't be read is not there.
      if (!(error instanceof GoError)) throw error;
    }
  }
  if (found.length > 1)
    throw new GoError(`Found multiple kustomization files under: ${loader.root}\n`, {
      place: { file: loader.root.slice(1) || '.' },
      remedies: [`Keep one of ${found.map(({ name }) => name).join(', ')}`],
    });
  if (found[0]) return found[0];
  const quoted = kustomizationFileNames.map((name) => `'${name}'`);
  const error = new GoError(
    `unable to find one of ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)} in directory '${loader.root}'`,
    {
      place: { file: loader.root.slice(1) || '.' },
      remedies: ['Add a kustomization.yaml, or name a folder that has one'],
    },
  );
  error.marks.add('missing-kustomization');
  throw error;
}

/** Reads a kustomization's text strictly: a field that is not known is refused. */
export function parseKustomization(
  data: Uint8Array | string,
  file: string,
): { fields: Kustomization; lineOf: KustomizationFile['lineOf'] } {
  let document: DocumentNode | undefined;
  try {
    const reader = new YamlReader(data, { file });
    for (const first of reader.documents()) {
      document = first;
      break;
    }
    const value = document ? reader.decode(document, jsonShape) : null;
    const fields = decodeJson<Kustomization>(value, kustomizationType, { strict: true }) ?? {};
    return { fields, lineOf: (path) => (document ? lineOf(document, path) : 1) };
  } catch (error) {
    const line = error instanceof DecodeError && document ? lineOf(document, error.path) : undefined;
    throw wrapped(error, 'invalid Kustomization', {
      place: { file, ...(line === undefined ? {} : { line }) },
      ...(error instanceof DecodeError ? remedyFor(error) : {}),
    });
  }
}

function remedyFor(error: DecodeError): { evidence: Record<string, string>; remedies: string[] } {
  const field = error.path.join('.');
  const known = Object.keys((kustomizationType as { fields: object }).fields);
  const top = String(error.path[0] ?? '');
  const similar = error.message.includes('unknown field') && error.path.length === 1 ? nearest(top, known) : undefined;
  return {
    evidence: { field },
    remedies: [similar ? `Did you mean ${similar}?` : `Correct ${field} by the reference of kustomization.yaml`],
  };
}

/** The known word that takes the fewest changes, if they are few. */
function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

const successors: readonly [keyof Kustomization, string, string][] = [
  ['bases', 'resources', ''],
  ['commonLabels', 'labels', ''],
  ['imageTags', 'images', ''],
  ['patchesJson6902', 'patches', ''],
  ['patchesStrategicMerge', 'patches', ''],
  ['vars', 'replacements', '[EXPERIMENTAL] '],
];

function deprecations(fields: Kustomization): string[] {
  return successors
    .filter(([field]) => fields[field] !== undefined)
    .map(
      ([field, successor, prefix]) =>
        `# Warning: '${field}' is deprecated. Please use '${successor}' instead. ${prefix}Run 'kustomize edit fix' to update your Kustomization automatically.`,
    );
}

/** Defaults, and what older fields say moved to the newer ones. */
export function modernize(fields: Kustomization): void {
  fields.kind ||= 'Kustomization';
  fields.apiVersion ||=
    fields.kind === 'Component' ? 'kustomize.config.k8s.io/v1alpha1' : 'kustomize.config.k8s.io/v1beta1';
  if (fields.bases?.length) fields.resources = [...(fields.resources ?? []), ...fields.bases];
  delete fields.bases;
  if (fields.imageTags?.length) fields.images = [...(fields.images ?? []), ...fields.imageTags];
  delete fields.imageTags;
  for (const args of [...(fields.configMapGenerator ?? []), ...(fields.secretGenerator ?? [])]) {
    if (!args.env) continue;
    args.envs = [...(args.envs ?? []), args.env];
    delete args.env;
  }
  const old = fields.helmChartInflationGenerator ?? [];
  const chartHome = old.findLast((args) => args.chartHome)?.chartHome;
  const configHome = old.findLast((args) => args.helmHome)?.helmHome;
  if (fields.helmGlobals === undefined && (chartHome || configHome))
    fields.helmGlobals = { ...(chartHome ? { chartHome } : {}), ...(configHome ? { configHome } : {}) };
  if (old.length > 0) fields.helmCharts = [...(fields.helmCharts ?? []), ...old.map(modernChart)];
  delete fields.helmChartInflationGenerator;
}

function modernChart(old: HelmChartArgs): HelmChart {
  const chart: HelmChart = {};
  if (old.chartName) chart.name = old.chartName;
  if (old.chartVersion) chart.version = old.chartVersion;
  if (old.chartRepoUrl) chart.repo = old.chartRepoUrl;
  if (old.values) chart.valuesFile = old.values;
  if (old.valuesLocal !== undefined) chart.valuesInline = old.valuesLocal;
  if (old.valuesMerge) chart.valuesMerge = old.valuesMerge;
  if (old.releaseName) chart.releaseName = old.releaseName;
  return chart;
}

function refuseEmpty(fields: Kustomization): void {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = fields;
  const empty = Object.values(rest).every((value) => value === undefined || value === '');
  if (empty)
    throw new GoError('kustomization.yaml is empty', { remedies: ['Name what is to be built, such as resources'] });
}

function enforce(fields: Kustomization, root: string): void {
  const problems: string[] = [];
  const { kind = '', apiVersion } = fields;
  if (kind !== 'Kustomization' && kind !== 'Component') problems.push('kind should be Kustomization or Component');
  const wanted = kind === 'Component' ? 'kustomize.config.k8s.io/v1alpha1' : 'kustomize.config.k8s.io/v1beta1';
  if (apiVersion !== wanted) problems.push(`apiVersion for ${kind} should be ${wanted}`);
  if (problems.length > 0)
    throw new GoError(`Failed to read kustomization file under ${root}:\n${problems.join('\n')}`, {
      remedies: ['Correct kind and apiVersion, or leave them out'],
    });
}
