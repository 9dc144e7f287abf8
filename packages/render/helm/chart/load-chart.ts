import type { Value } from '@tiphys/template';
import { YamlError } from '@tiphys/yaml';
import { chartInvalid, chartTooLarge } from '../problems/diagnoses.ts';
import { HelmError, helmMessageOf } from '../problems/helm-error.ts';
import type { Warn } from '../problems/log.ts';
import { readArchive, withoutBom } from './archive.ts';
import type { Chart, ChartFile, ChartMetadata } from './chart.ts';
import { type ChartFiles, type ChartLimits, defaultChartLimits } from './chart-files.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { type LoadedValues, loadValues, readYaml, ValuesShapeError } from './load-values.ts';
import { checkLock, MetadataError, MetadataReader, readMetadata, validateMetadata } from './metadata.ts';

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
    checkSize(size, files.length, limits, path);
    files.push({ name: path, data: withoutBom(data) });
  }
  return new Loader(limits, options).load(files, options.path ?? '', 0);
}

/** Loads a packaged chart. */
export function loadArchive(data: Uint8Array, options: LoadOptions = {}): Chart {
  const limits = { ...defaultChartLimits, ...options.limits };
  return new Loader(limits, options).load(readArchive(data, limits, options.path), options.path ?? '', 0);
}

function checkSize(size: number, count: number, limits: ChartLimits, path: string): void {
  if (size <= limits.size && count < limits.files) return;
  const what = size > limits.size ? `${limits.size} bytes` : `${limits.files} files`;
  throw new HelmError(chartTooLarge, `chart has more than ${what}`, {
    place: { file: path },
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

const dependenciesMoved =
  'Warning: Dependencies are handled in Chart.yaml since apiVersion "v2". We recommend migrating dependencies to Chart.yaml.';
const lockingMoved =
  'Warning: Dependency locking is handled in Chart.lock since apiVersion "v2". We recommend migrating to Chart.lock.';

const noChart = 'Chart.yaml file is missing';
const addChart =
  'Set the path to the folder of a chart, or add Chart.yaml; without a chart, leave out the options of Helm';

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
        remedies: ['Put the charts beside one another instead of inside'],
      });
    }
    const { metadata, valuesSource, isUnsupported } = this.#read(files, path, depth === 0);
    const chart = {
      name: metadata.name,
      metadata,
      templates: files.filter(({ name }) => name.startsWith('templates/')),
      files: files.filter(({ name }) => isOther(name, metadata)),
      values: valuesSource?.values ?? new Map(),
      valuesSource,
      schema: files.find(({ name }) => name === 'values.schema.json')?.data,
    };
    const dependencies = this.#subcharts(files, metadata.name, path, depth);
    // Helm reads charts of its next version, but installs none.
    if (isUnsupported) throw this.#invalid('invalid chart apiVersion', path, 'Chart.yaml');
    return { ...chart, dependencies };
  }

  /** What Helm itself reads, in the order of the files: so the first that is wrong is the one it names. */
  #read(files: readonly ChartFile[], path: string, isRoot: boolean) {
    const chartFile = files.find(({ name }) => name === 'Chart.yaml');
    const chartYaml = chartFile && this.#yaml(chartFile, path);
    const apiVersion = this.#guarded('Chart.yaml', path, () => {
      const version = new MetadataReader(chartYaml ?? null, 'loader.chartBase').text('apiVersion') || 'v1';
      if (isRoot && !['v1', 'v2', 'v3'].includes(version))
        throw this.#invalid('unsupported chart version', path, 'Chart.yaml');
      readMetadata(chartYaml ?? null);
      return version;
    });
    let required: Value | undefined;
    let valuesSource: LoadedValues | undefined;
    for (const file of files) {
      if (file.name === 'values.yaml') valuesSource = this.#values(file, path);
      else if (file.name === 'requirements.yaml') required = this.#requirements(file, path, apiVersion);
      else if (file.name === 'Chart.lock') this.#lock(file, path);
      else if (file.name === 'requirements.lock') {
        this.#lock(file, path);
        if (apiVersion !== 'v1') this.#warn(lockingMoved, { level: 'INFO' });
      }
    }
    if (!chartFile && required === undefined && !files.some(({ name }) => name === 'requirements.lock'))
      throw this.#invalid(noChart, path, 'Chart.yaml');
    const metadata = this.#guarded('Chart.yaml', path, () => {
      const both = readMetadata(chartYaml ?? null, required);
      validateMetadata(both);
      return both;
    });
    return { metadata, valuesSource, isUnsupported: isRoot && apiVersion === 'v3' };
  }

  #requirements(file: ChartFile, path: string, apiVersion: string): Value {
    if (apiVersion !== 'v1') this.#warn(dependenciesMoved, { level: 'INFO' });
    const required = this.#yaml(file, path);
    this.#guarded(file.name, path, () => readMetadata(required));
    return required;
  }

  #lock(file: ChartFile, path: string): void {
    const lock = this.#yaml(file, path);
    this.#guarded(file.name, path, () => checkLock(lock));
  }

  #yaml(file: ChartFile, path: string): Value {
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
        remedies: [name === 'Chart.yaml' && message === noChart ? addChart : `Correct ${at(path, name)}`],
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
        return this.load(readArchive(first.data, this.#limits, path), path, depth + 1);
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
