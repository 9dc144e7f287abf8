import { compareStrings, GoMap, int, mapOfString, type Value, type ValueMap } from '@tiphys/template';
import type { Chart, ChartFile } from '../chart/chart.ts';
import { tableAt, tableOf } from '../chart/value-tables.ts';
import { type FileReads, filesValue } from '../functions/files.ts';
import { valuesOf } from './values-type.ts';

export interface ReleaseFacts {
  readonly name: string;
  readonly namespace: string;
  readonly isUpgrade?: boolean | undefined;
  /** 1 if not given. */
  readonly revision?: number | undefined;
}

/** One template file of a chart, with the data that it is executed on. */
export interface ChartTemplate {
  /** `web/charts/db/templates/secret.yaml`. */
  readonly name: string;
  readonly basePath: string;
  readonly file: ChartFile;
  readonly data: ValueMap;
  readonly chart: Chart;
  /** Names of the subcharts that lead to its chart from the root, with `/` between them. */
  readonly scope: string;
}

/** `.Release`. */
export function releaseValue(release: ReleaseFacts): ValueMap {
  return new Map<string, Value>([
    ['Name', release.name],
    ['Namespace', release.namespace],
    ['IsUpgrade', release.isUpgrade ?? false],
    ['IsInstall', !release.isUpgrade],
    ['Revision', int(release.revision ?? 1)],
    ['Service', 'Helm'],
  ]);
}

export interface DataOptions {
  readonly release: Value;
  readonly capabilities: Value;
  /** Coalesced. */
  readonly values: ValueMap;
  /** Is told what templates read through `.Files`, with the chart's path: empty for the root, `charts/db`. */
  readonly reads: (chartPath: string) => FileReads;
}

/** The templates of a chart and its subcharts, in the order in which Helm parses and executes them. */
export function chartTemplates(chart: Chart, options: DataOptions): ChartTemplate[] {
  const templates = new Map<string, ChartTemplate>();
  collect(chart, options.values, chart.name, '', options, templates);
  return [...templates.values()]
    .map((template) => ({ template, depth: depthOf(template.name) }))
    .sort((a, b) => b.depth - a.depth || compareStrings(b.template.name, a.template.name))
    .map(({ template }) => template);
}

function depthOf(name: string): number {
  let depth = 1;
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) depth++;
  return depth;
}

function collect(
  chart: Chart,
  values: ValueMap,
  id: string,
  path: string,
  options: DataOptions,
  templates: Map<string, ChartTemplate>,
): ValueMap {
  const subcharts: ValueMap = new Map();
  const data: ValueMap = new Map<string, Value>([
    ['Chart', metadataValue(chart, path === '')],
    ['Files', filesValue(chart.files, options.reads(path))],
    ['Release', options.release],
    ['Capabilities', options.capabilities],
    ['Values', valuesOf(values)],
    ['Subcharts', subcharts],
  ]);
  for (const child of chart.dependencies) {
    const found = tableAt(values, child.name.split('.'));
    const table = 'table' in found ? found.table : new Map();
    const childPath = `${path === '' ? '' : `${path}/`}charts/${child.name}`;
    subcharts.set(child.name, collect(child, table, `${id}/charts/${child.name}`, childPath, options, templates));
  }
  const library = chart.metadata.type.toLowerCase() === 'library';
  for (const file of chart.templates) {
    if (library && !baseName(file.name).startsWith('_')) continue;
    const name = `${id}/${file.name}`;
    templates.set(name, { name, basePath: `${id}/templates`, file, data, chart, scope: scopeOf(path) });
  }
  return data;
}

function scopeOf(path: string): string {
  return path.replace(/(^|\/)charts\//g, '$1');
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function metadataValue(chart: Chart, root: boolean): ValueMap {
  const { metadata } = chart;
  const annotations = metadata.annotations;
  return new Map<string, Value>([
    ['Name', metadata.name],
    ['Home', metadata.home],
    ['Sources', [...(metadata.sources ?? [])]],
    ['Version', metadata.version],
    ['Description', metadata.description],
    ['Keywords', [...(metadata.keywords ?? [])]],
    [
      'Maintainers',
      (metadata.maintainers ?? []).map(
        ({ name, email, url }) =>
          new Map([
            ['Name', name],
            ['Email', email],
            ['URL', url],
          ]),
      ),
    ],
    ['Icon', metadata.icon],
    ['APIVersion', metadata.apiVersion],
    ['Condition', metadata.condition],
    ['Tags', metadata.tags],
    ['AppVersion', metadata.appVersion],
    ['Deprecated', metadata.deprecated],
    ['Annotations', new GoMap(mapOfString, new Map(annotations ?? []), annotations === undefined)],
    ['KubeVersion', metadata.kubeVersion],
    ['Dependencies', (metadata.dependencies ?? []).map(dependencyValue)],
    ['Type', metadata.type],
    ['IsRoot', root],
  ]);
}

function dependencyValue(dependency: NonNullable<Chart['metadata']['dependencies']>[number]): ValueMap {
  const imports = dependency.importValues.map((item) => {
    const table = tableOf(item);
    const child = table ? String(table.get('child') ?? '<nil>') : `exports.${String(item)}`;
    return new GoMap(
      mapOfString,
      new Map([
        ['child', child],
        ['parent', table ? String(table.get('parent') ?? '<nil>') : '.'],
      ]),
    );
  });
  return new Map<string, Value>([
    ['Name', dependency.name],
    ['Version', dependency.version],
    ['Repository', dependency.repository],
    ['Condition', dependency.condition],
    ['Tags', [...dependency.tags]],
    ['Enabled', dependency.enabled],
    ['ImportValues', imports],
    ['Alias', dependency.alias],
  ]);
}
