import { failure } from '@tiphys/diagnosis';
import { parseDocuments } from '@tiphys/yaml';
import { pluginConfigInvalid } from './diagnoses.ts';

export interface PluginCommand {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

/** A parameter that a plugin says it takes; fields as `ParameterAnnouncement` of Argo CD's API has them. */
export interface ParameterAnnouncement {
  readonly name?: string;
  readonly title?: string;
  readonly tooltip?: string;
  readonly required?: boolean;
  readonly itemType?: string;
  readonly collectionType?: string;
  readonly string?: string;
  readonly array?: readonly string[];
  readonly map?: Readonly<Record<string, string>>;
}

/** A `ConfigManagementPlugin`, as a file `plugin.yaml` has it. Commands that are not given are undefined. */
export interface PluginConfig {
  readonly name: string;
  readonly version: string;
  readonly init: PluginCommand | undefined;
  readonly generate: PluginCommand;
  readonly discover: {
    readonly fileName: string;
    readonly glob: string;
    readonly command: PluginCommand | undefined;
  };
  readonly parameters: {
    readonly static: readonly ParameterAnnouncement[];
    readonly dynamic: PluginCommand | undefined;
  };
  readonly preserveFileMode: boolean;
  readonly provideGitCreds: boolean;
}

type Mapping = Readonly<Record<string, unknown>>;

const safeName = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Reads a plugin.yaml; throws a diagnosis with file and field for what is no plugin. Upstream's rules, and its words where it has some. */
export function readPluginConfig(text: string, file: string): PluginConfig {
  const root = mapping(firstDocument(text, file), '', file);
  const metadata = mapping(root['metadata'], 'metadata', file);
  const spec = mapping(root['spec'], 'spec', file);
  const name = word(metadata['name'], 'metadata.name', file);
  const kind = word(root['kind'], 'kind', file);
  if (name === '') throw invalid('metadata.name should be non-empty', 'metadata.name', file);
  if (kind !== 'ConfigManagementPlugin')
    throw invalid(`kind should be ConfigManagementPlugin, found ${kind}`, 'kind', file);
  const version = word(spec['version'], 'spec.version', file);
  for (const [field, value] of [
    ['metadata.name', name],
    ['spec.version', version],
  ] as const) {
    // They name the socket, which must not lie elsewhere.
    if (value !== '' && !safeName.test(value))
      throw invalid(
        `${field} may have letters, digits, dots, dashes and underscores only, found ${value}`,
        field,
        file,
      );
  }
  const generate = command(spec['generate'], 'spec.generate', file);
  if (!generate) throw invalid('spec.generate command should be non-empty', 'spec.generate', file);
  const discover = mapping(spec['discover'], 'spec.discover', file);
  const find = mapping(discover['find'], 'spec.discover.find', file);
  const parameters = mapping(spec['parameters'], 'spec.parameters', file);
  return {
    name,
    version,
    init: command(spec['init'], 'spec.init', file),
    generate,
    discover: {
      fileName: word(discover['fileName'], 'spec.discover.fileName', file),
      glob: word(find['glob'], 'spec.discover.find.glob', file),
      command: command(find, 'spec.discover.find', file),
    },
    parameters: {
      static: announcements(parameters['static'], 'spec.parameters.static', file),
      dynamic: command(parameters['dynamic'], 'spec.parameters.dynamic', file),
    },
    preserveFileMode: truth(spec['preserveFileMode'], 'spec.preserveFileMode', file),
    provideGitCreds: truth(spec['provideGitCreds'], 'spec.provideGitCreds', file),
  };
}

/** The name by which applications ask for the plugin: `name`, or `name-version`. */
export function socketName({ name, version }: Pick<PluginConfig, 'name' | 'version'>): string {
  return version === '' ? name : `${name}-${version}`;
}

/** Whether the plugin looks for itself which sources are its own. */
export function isDiscoveryConfigured({ discover }: PluginConfig): boolean {
  return discover.fileName !== '' || discover.glob !== '' || discover.command !== undefined;
}

/** Parameters as a list of mappings with the fields of an announcement; others are refused by name. */
export function announcements(value: unknown, field: string, file: string): ParameterAnnouncement[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${field} is not a list`, field, file);
  return value.map((item: unknown, index) => {
    const place = `${field}[${index}]`;
    const entry = mapping(item, place, file);
    for (const name of ['name', 'title', 'tooltip', 'itemType', 'collectionType', 'string'])
      word(entry[name], `${place}.${name}`, file);
    truth(entry['required'], `${place}.required`, file);
    const { array, map } = entry;
    if (
      array !== undefined &&
      array !== null &&
      !(Array.isArray(array) && array.every((one) => typeof one === 'string'))
    )
      throw invalid(`${place}.array is not a list of strings`, `${place}.array`, file);
    for (const one of Object.values(mapping(map, `${place}.map`, file))) word(one, `${place}.map`, file);
    return Object.fromEntries(Object.entries(entry).filter(([, one]) => one !== null)) as ParameterAnnouncement;
  });
}

function firstDocument(text: string, file: string): unknown {
  try {
    return parseDocuments(text, { file }).documents[0]?.value;
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error), '', file, error);
  }
}

function command(value: unknown, field: string, file: string): PluginCommand | undefined {
  const entry = mapping(value, field, file);
  const list = (name: string): string[] => {
    const items = entry[name] ?? [];
    if (!Array.isArray(items) || !items.every((item) => typeof item === 'string'))
      throw invalid(`${field}.${name} is not a list of strings`, `${field}.${name}`, file);
    return items as string[];
  };
  const words = list('command');
  return words.length === 0 ? undefined : { command: words, args: list('args') };
}

function mapping(value: unknown, field: string, file: string): Mapping {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Mapping;
  throw invalid(`${field || 'the file'} is not a mapping`, field, file);
}

function word(value: unknown, field: string, file: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw invalid(`${field} is not a string: put it into quotes`, field, file);
}

function truth(value: unknown, field: string, file: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw invalid(`${field} is neither true nor false`, field, file);
}

function invalid(reason: string, field: string, file: string, cause?: unknown) {
  return failure(
    pluginConfigInvalid,
    {
      message: `invalid plugin configuration file. ${reason}`,
      place: { file, ...(field ? { field } : {}) },
      remedies: ['Correct the file (docs/plugins.md)'],
    },
    cause === undefined ? {} : { cause },
  );
}
