import { YamlError } from '@tiphys/yaml';
import { chartInvalid, chartTooLarge } from '../diagnoses.ts';
import { HelmError, helmMessageOf } from '../helm-error.ts';
import type { Warn } from '../log.ts';
import { type LoadedValues, loadValues, readYaml, ValuesShapeError } from '../values/load-values.ts';
import { readArchive, withoutBom } from './archive.ts';
import type { Chart, ChartFile, ChartMetadata } from './chart.ts';
import { type ChartFiles, type ChartLimits, defaultChartLimits } from './chart-files.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { MetadataError, MetadataReader, readMetadata, validateMetadata } from './metadata.ts';

export interface LoadOptions {
  readonly limits?: Partial<ChartLimits>;
  /** Receives what Helm logs as a warning. */
  readonly warn?: Warn;
  /** Path of the chart for messages: `charts/web`. Empty if not given. */
  readonly path?: string;
}

/** Loads the chart of a folder, by the rules of Helm 4. Throws `HelmError`. */
export function loadChart(source: ChartFiles, options: LoadOptions = {}): Chart {
  const limits = { ...defaultChartLimits, ...options.limits };
  const paths = [...source.list()].sort(comparePaths);
  const ignore = new IgnoreRules(paths.includes('.helmignore') ? textOf(source.read('.helmignore')) : '');
  const files: ChartFile[] = [];
  let size = 0;
  for (const path of paths) {
    if (ignore.ignores(path)) continue;
    const data = source.read(path);
    size += data.length;
    checkSize(size, files.length, limits);
    files.push({ name: path, data: withoutBom(data) });
  }
  return new Loader(limits, options).load(files, options.path ?? '', 0);
}

/** Loads a packaged chart. */
export function loadArchive(data: Uint8Array, options: LoadOptions = {}): Chart {
  const limits = { ...defaultChartLimits, ...options.limits };
  return new Loader(limits, options).load(readArchive(data, limits), options.path ?? '', 0);
}

function checkSize(size: number, count: number, limits: ChartLimits): void {
  if (size <= limits.size && count < limits.files) return;
  const what = size > limits.size ? `${limits.size} bytes` : `${limits.files} files`;
  throw new HelmError(chartTooLarge, `chart has more than ${what}`, {
    remedies: ['Name what templates do not need in .helmignore'],
  });
}

/** The order in which a walk through the folders meets files. */
function comparePaths(a: string, b: string): number {
  const x = a.split('/');
  const y = b.split('/');
  for (let i = 0; i < x.length && i < y.length; i++) {
    if (x[i] !== y[i]) return (x[i] as string) < (y[i] as string) ? -1 : 1;
  }
  return x.length - y.length;
}

class Loader {
  readonly #limits: ChartLimits;
  readonly #warn: Warn;

  constructor(limits: ChartLimits, options: LoadOptions) {
    this.#limits = limits;
    this.#warn = options.warn ?? (() => undefined);
  }

  load(files: readonly ChartFile[], path: string, depth: number): Chart {
    if (depth > this.#limits.depth) {
      throw new HelmError(chartTooLarge, `charts are nested deeper than ${this.#limits.depth}`, {
        place: { file: path },
      });
    }
    const named = new Map(files.map((file) => [file.name, file]));
    const metadata = this.#metadata(named, path, depth === 0);
    const valuesFile = named.get('values.yaml');
    const valuesSource = valuesFile && this.#values(valuesFile, path);
    const chart = {
      name: metadata.name,
      metadata,
      templates: files.filter(({ name }) => name.startsWith('templates/')),
      files: files.filter(({ name }) => isOther(name, metadata)),
      values: valuesSource?.values ?? new Map(),
      valuesSource,
      schema: named.get('values.schema.json')?.data,
    };
    return { ...chart, dependencies: this.#subcharts(files, metadata.name, path, depth) };
  }

  #metadata(files: ReadonlyMap<string, ChartFile>, path: string, root: boolean): ChartMetadata {
    const chartYaml = this.#yaml(files.get('Chart.yaml'), path);
    for (const lock of ['Chart.lock', 'requirements.lock']) this.#yaml(files.get(lock), path);
    const requirements = files.get('requirements.yaml');
    if (chartYaml === undefined && !requirements) throw this.#invalid('Chart.yaml file is missing', path, 'Chart.yaml');
    const required = this.#yaml(requirements, path);
    return this.#guarded('Chart.yaml', path, () => {
      const reader = new MetadataReader(chartYaml ?? null, 'loader.chartBase');
      const apiVersion = reader.text('apiVersion');
      if (root && !['', 'v1', 'v2'].includes(apiVersion))
        throw this.#invalid('unsupported chart version', path, 'Chart.yaml');
      if (requirements && apiVersion === 'v2') {
        this.#warn(
          'Warning: Dependencies are handled in Chart.yaml since apiVersion "v2". We recommend migrating dependencies to Chart.yaml.',
          { level: 'INFO' },
        );
      }
      const metadata = readMetadata(chartYaml ?? null, required);
      validateMetadata(metadata);
      return metadata;
    });
  }

  #yaml(file: ChartFile | undefined, path: string) {
    if (!file) return undefined;
    return this.#guarded(file.name, path, () => readYaml(textOf(file.data), { file: at(path, file.name) }));
  }

  #guarded<T>(name: string, path: string, body: () => T): T {
    try {
      return body();
    } catch (error) {
      if (error instanceof YamlError) {
        const words = `cannot load ${name}: error converting YAML to JSON: ${error.goMessage}`;
        throw this.#invalid(words, path, name, error);
      }
      if (!(error instanceof MetadataError)) throw error;
      const words = error.message.startsWith('validation: ') ? error.message : `cannot load ${name}: ${error.message}`;
      throw this.#invalid(words, path, name, error);
    }
  }

  #invalid(message: string, path: string, name: string, cause?: unknown): HelmError {
    const inner = cause instanceof YamlError ? cause.diagnosis : undefined;
    return new HelmError(
      chartInvalid,
      message,
      {
        place: inner?.place ?? { file: at(path, name) },
        ...(inner ? { evidence: inner.evidence } : {}),
        remedies: [`Correct ${at(path, name)}`],
      },
      cause,
    );
  }

  #values(file: ChartFile, path: string): LoadedValues {
    try {
      return loadValues(textOf(file.data), { file: at(path, file.name) });
    } catch (error) {
      if (!(error instanceof YamlError) && !(error instanceof ValuesShapeError)) throw error;
      const words = error instanceof YamlError ? `error converting YAML to JSON: ${error.goMessage}` : error.message;
      throw this.#invalid(`cannot load values.yaml: cannot unmarshal yaml document: ${words}`, path, file.name, error);
    }
  }

  #subcharts(files: readonly ChartFile[], parent: string, path: string, depth: number): Chart[] {
    const groups = new Map<string, ChartFile[]>();
    for (const file of files) {
      if (!file.name.startsWith('charts/') || file.name.endsWith('.prov')) continue;
      const inner = file.name.slice('charts/'.length);
      const group = inner.split('/', 1)[0] as string;
      const list = groups.get(group) ?? [];
      list.push({ name: inner, data: file.data });
      groups.set(group, list);
    }
    const charts: Chart[] = [];
    for (const [group, list] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (/^[_.]/.test(group)) continue;
      const chart = this.#subchart(group, list, parent, at(path, `charts/${group}`), depth);
      if (chart) charts.push(chart);
    }
    return charts;
  }

  #subchart(
    group: string,
    files: readonly ChartFile[],
    parent: string,
    path: string,
    depth: number,
  ): Chart | undefined {
    try {
      if (group.endsWith('.tgz')) {
        const first = files[0] as ChartFile;
        if (first.name !== group) {
          throw this.#invalid(
            `error unpacking subchart tar in ${parent}: expected ${group}, got ${first.name}`,
            path,
            '',
          );
        }
        return this.load(readArchive(first.data, this.#limits), path, depth + 1);
      }
      const inside = files
        .filter(({ name }) => name.includes('/'))
        .map(({ name, data }) => ({ name: name.slice(name.indexOf('/') + 1), data }));
      return this.load(inside, path, depth + 1);
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      const { place, evidence, remedies } = error.diagnosis;
      const words = error.helmMessage.startsWith('error unpacking subchart tar')
        ? error.helmMessage
        : `error unpacking subchart ${group} in ${parent}: ${helmMessageOf(error)}`;
      throw new HelmError(chartInvalid, words, { ...(place ? { place } : {}), evidence, remedies }, error);
    }
  }
}

/** True for what `.Files` gives: neither templates nor charts nor what Helm itself reads. */
function isOther(name: string, metadata: ChartMetadata): boolean {
  if (name === 'requirements.yaml' || name === 'requirements.lock') return metadata.apiVersion === 'v1';
  if (['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json'].includes(name)) return false;
  if (name.startsWith('templates/')) return false;
  return !name.startsWith('charts/') || name.endsWith('.prov');
}

function at(path: string, name: string): string {
  return path === '' || name === '' ? path || name : `${path}/${name}`;
}

function textOf(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}
