import { basename } from 'node:path/posix';
import { documentsOf, type ValuePlace, valueAt } from './edit-value.ts';

/** A version of something that is fetched, which a file says. */
export interface Pin {
  /** A chart that a chart or a kustomization depends on, or a remote base. */
  readonly kind: 'chart' | 'base';
  /** Where it comes from, without its version. */
  readonly name: string;
  readonly version: string;
  /** The chart's name in its repository; empty for a base. */
  readonly chart: string;
  readonly file: string;
  readonly place: ValuePlace;
  /** What stands at the place for another version. */
  text(version: string): string;
}

const chartFiles = new Set(['Chart.yaml', 'requirements.yaml']);
const kustomizations = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);

/** The versions that a file of a chart or a kustomization says of charts and remote bases. */
export function pinsOf(file: string, text: string): Pin[] {
  const name = basename(file);
  if (!chartFiles.has(name) && !kustomizations.has(name)) return [];
  const [value] = documentsOf(text);
  return chartFiles.has(name)
    ? chartPins(file, value, { list: 'dependencies', repository: 'repository' })
    : [...chartPins(file, value, { list: 'helmCharts', repository: 'repo' }), ...basePins(file, value)];
}

function chartPins(file: string, value: unknown, fields: { list: string; repository: string }): Pin[] {
  return listOf(value, fields.list).flatMap((item, index) => {
    const [chart, version, repository] = ['name', 'version', fields.repository].map((key) => valueAt(item, [key]));
    // a chart in the same repository is no version of something else
    if (![chart, version, repository].every((each) => typeof each === 'string' && each !== '')) return [];
    if ((repository as string).startsWith('file://')) return [];
    return {
      kind: 'chart',
      name: `${withoutSlash(repository as string)}/${chart}`,
      version: version as string,
      chart: chart as string,
      file,
      place: { document: 0, path: [fields.list, index, 'version'] },
      text: (wanted) => wanted,
    };
  });
}

function basePins(file: string, value: unknown): Pin[] {
  return ['resources', 'bases', 'components'].flatMap((list) =>
    listOf(value, list).flatMap((item, index) => {
      const [address = '', query] = typeof item === 'string' ? item.split('?', 2) : [];
      const parameters = (query ?? '').split('&');
      // upstream's kustomize takes `version` for `ref`
      const at = parameters.findIndex((each) => /^(?:ref|version)=./.test(each));
      if (at < 0) return [];
      const [key = '', version = ''] = (parameters[at] as string).split('=', 2);
      const write = (wanted: string) => `${address}?${parameters.with(at, `${key}=${wanted}`).join('&')}`;
      return {
        kind: 'base',
        name: address,
        version,
        chart: '',
        file,
        place: { document: 0, path: [list, index] },
        text: write,
      };
    }),
  );
}

function listOf(value: unknown, key: string): readonly unknown[] {
  const list = valueAt(value, [key]);
  return Array.isArray(list) ? list : [];
}

export function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
