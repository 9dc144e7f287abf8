import { compareVersions, readVersion, type Version } from '@tiphys/template';
import { type DocumentNode, type Shape, YamlError, YamlReader } from '@tiphys/yaml';

/** One version of a chart in the index of a Helm repository. */
export interface ChartVersion {
  readonly name: string;
  readonly version: string;
  readonly urls: readonly string[];
  /** `sha256`, in hexadecimal, with or without `sha256:`; empty if the index does not tell. */
  readonly digest: string;
  readonly description: string;
  readonly appVersion: string;
  readonly home: string;
  readonly icon: string;
  readonly sources: readonly string[];
  readonly keywords: readonly string[];
  readonly maintainers: readonly { readonly name: string; readonly email: string; readonly url: string }[];
  readonly deprecated: boolean;
  readonly created: string;
}

/** What an index.yaml says, its entries sorted as Helm sorts them: newest first. */
export interface RepositoryIndex {
  readonly entries: ReadonlyMap<string, readonly ChartVersion[]>;
  /** Entries that were skipped, and why, as Helm logs them. */
  readonly skipped: readonly SkippedEntry[];
}

export interface SkippedEntry {
  readonly chart: string;
  readonly version: string;
  /** `empty entry` has no other words. */
  readonly reason: string;
}

/** An index that Helm does not read either; the message is Helm's. */
export class IndexError extends Error {}

type Json = string | number | boolean | null | Json[] | Table;
type Table = Map<string, Json>;

const shape: Shape<Json, Table> = {
  map: () => new Map(),
  set(map, key, value) {
    if (map.has(key))
      throw new IndexError(
        `error converting YAML to JSON: yaml: unmarshal errors:\n  key ${JSON.stringify(key)} already set in map`,
      );
    map.set(key, value);
  },
  list: (items) => items,
  scalar: (value) => (typeof value === 'bigint' ? Number(value) : value),
};

const indexFields = new Set(['serverinfo', 'apiversion', 'generated', 'entries', 'publickeys', 'annotations']);
const versionFields = new Set([
  ...['name', 'home', 'sources', 'version', 'description', 'keywords', 'maintainers', 'icon', 'apiversion'],
  ...['condition', 'tags', 'appversion', 'deprecated', 'annotations', 'kubeversion', 'dependencies', 'type'],
  ...['urls', 'created', 'removed', 'digest', 'checksum', 'engine', 'tillerversion', 'url'],
]);

/** Reads an index by the rules of Helm 4: entries that are not valid are skipped. Throws `IndexError` or `YamlError`. */
export function readIndex(text: Buffer, limit: number): RepositoryIndex {
  if (text.length === 0) throw new IndexError('empty index.yaml file');
  const { root, strict } = decodeIndex(text, limit);
  const fields = fieldsOf(root, 'repo.IndexFile', strict ? indexFields : undefined);
  const skipped: SkippedEntry[] = [];
  const entries = new Map<string, ChartVersion[]>();
  const listed = fields.get('entries') ?? null;
  if (listed !== null && !(listed instanceof Map))
    throw mistyped(listed, 'IndexFile.entries of type map[string]repo.ChartVersions');
  for (const [chart, versions] of (listed ?? new Map()) as Table) {
    if (versions !== null && !Array.isArray(versions))
      throw mistyped(versions, 'IndexFile.entries of type repo.ChartVersions');
    entries.set(chart, readVersions(chart, versions ?? [], strict, skipped));
  }
  if (textOf(fields.get('apiversion') ?? null) === '') throw new IndexError('no API version specified');
  return { entries, skipped };
}

function decodeIndex(text: Buffer, limit: number): { root: Json; strict: boolean } {
  const first = text.subarray(0, 64).toString('latin1').trimStart()[0];
  if (first === '{') {
    try {
      return { root: mapsOf(JSON.parse(text.toString('utf8'))), strict: false };
    } catch (error) {
      // JSON that is not quite JSON may still be YAML.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  const reader = new YamlReader(text, { limits: { size: limit } });
  const document: DocumentNode | undefined = reader.documents().next().value ?? undefined;
  return { root: document ? reader.decode(document, shape) : null, strict: true };
}

/** Deeper than any index; YAML ends there too. */
const maxDepth = 1000;

function mapsOf(value: unknown, depth = 0): Json {
  if (depth > maxDepth) throw new IndexError(`error unmarshaling JSON: exceeded max depth of ${maxDepth}`);
  if (Array.isArray(value)) return value.map((item) => mapsOf(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value as Json;
  return new Map(Object.entries(value).map(([key, item]) => [key, mapsOf(item, depth + 1)]));
}

function readVersions(chart: string, list: readonly Json[], strict: boolean, skipped: SkippedEntry[]): ChartVersion[] {
  const kept: { readonly entry: ChartVersion; readonly version: Version }[] = [];
  for (const item of list) {
    if (item === null) {
      skipped.push({ chart, version: '', reason: '' });
      continue;
    }
    const fields = fieldsOf(item, 'repo.ChartVersion', strict ? versionFields : undefined);
    const entry = entryOf(fields);
    const version = readVersion(entry.version);
    const reason = faultOf(entry, fields, version);
    if (reason !== undefined || typeof version === 'string')
      skipped.push({ chart, version: entry.version, reason: reason ?? '' });
    else kept.push({ entry, version });
  }
  return kept.sort((a, b) => compareVersions(b.version, a.version)).map(({ entry }) => entry);
}

function entryOf(fields: Table): ChartVersion {
  const text = (name: string): string => textOf(fields.get(name) ?? null);
  const texts = (name: string): string[] => {
    const value = fields.get(name) ?? null;
    if (value === null) return [];
    if (!Array.isArray(value)) throw mistyped(value, `ChartVersion.${name} of type []string`);
    return value.map(textOf);
  };
  return {
    name: text('name'),
    version: text('version'),
    urls: texts('urls'),
    digest: text('digest'),
    description: text('description'),
    appVersion: text('appversion'),
    home: text('home'),
    icon: text('icon'),
    sources: texts('sources'),
    keywords: texts('keywords'),
    maintainers: maintainersOf(fields.get('maintainers') ?? null),
    deprecated: fields.get('deprecated') === true,
    created: text('created'),
  };
}

function maintainersOf(value: Json): ChartVersion['maintainers'] {
  if (!Array.isArray(value)) return [];
  return value
    .filter((item): item is Table => item instanceof Map)
    .map((item) => ({
      name: textOf(item.get('name') ?? null),
      email: textOf(item.get('email') ?? null),
      url: textOf(item.get('url') ?? null),
    }));
}

/** Why Helm does not take an entry; undefined if it does. */
function faultOf(entry: ChartVersion, fields: Table, version: Version | string): string | undefined {
  const quoted = JSON.stringify;
  if (entry.name === '') return 'validation: chart.metadata.name is required';
  if (entry.name === '.' || entry.name === '..')
    return `validation: chart.metadata.name ${quoted(entry.name)} is not allowed`;
  if (entry.name.includes('/')) return `validation: chart.metadata.name ${quoted(entry.name)} is invalid`;
  if (entry.version === '') return 'validation: chart.metadata.version is required';
  if (typeof version === 'string') return `validation: chart.metadata.version ${quoted(entry.version)} is invalid`;
  const type = textOf(fields.get('type') ?? null);
  if (!['', 'application', 'library'].includes(type))
    return 'validation: chart.metadata.type must be application or library';
  if (listOf(fields, 'maintainers').includes(null))
    return 'validation: maintainers must not contain empty or null nodes';
  for (const dependency of listOf(fields, 'dependencies')) {
    if (!(dependency instanceof Map)) return 'validation: dependencies must not contain empty or null nodes';
    const alias = textOf(dependency.get('alias') ?? null);
    if (alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(alias))
      return `validation: dependency ${quoted(textOf(dependency.get('name') ?? null))} has disallowed characters in the alias`;
  }
  return undefined;
}

function listOf(fields: Table, name: string): readonly Json[] {
  const value = fields.get(name) ?? null;
  return Array.isArray(value) ? value : [];
}

/** The fields by their names in lower case: Go's decoder does not look at case. */
function fieldsOf(value: Json, type: string, known: ReadonlySet<string> | undefined): Table {
  if (value === null) return new Map();
  if (!(value instanceof Map)) throw mistyped(value, `Go value of type ${type}`);
  const fields: Table = new Map();
  for (const [key, item] of value) {
    if (known && !known.has(key.toLowerCase()))
      throw new IndexError(`error unmarshaling JSON: while decoding JSON: json: unknown field ${JSON.stringify(key)}`);
    fields.set(key.toLowerCase(), item);
  }
  return fields;
}

function textOf(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'object') throw mistyped(value, 'Go value of type string');
  return String(value);
}

function mistyped(value: Json, into: string): IndexError {
  const found = Array.isArray(value)
    ? 'array'
    : value instanceof Map
      ? 'object'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  const target = into.startsWith('Go ') ? into : `Go struct field ${into}`;
  return new IndexError(`error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into ${target}`);
}

/** The message of what `readIndex` threw; undefined for anything else. */
export function indexFault(error: unknown): string | undefined {
  if (error instanceof IndexError) return error.message;
  return error instanceof YamlError ? `error converting YAML to JSON: ${error.goMessage}` : undefined;
}
