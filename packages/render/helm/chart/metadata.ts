import { goQuote } from '@tiphys/go';
import { parseTime, type Value, type ValueMap } from '@tiphys/template';
import type { ChartDependency, ChartMetadata } from './chart.ts';
import { jsonTypeOf } from './load-values.ts';

/** A Chart.yaml that does not fit its type, in the words of Go's JSON decoder, or that Helm does not accept. */
export class MetadataError extends Error {}

/** The fields of Chart.yaml as they are, unchecked. Keys match without regard to case, as Go's JSON decoder does. */
export class MetadataReader {
  readonly #fields = new Map<string, Value>();
  readonly #prefix: string;

  /** For a nested struct `field` is where its own field lies in the outer one, such as `SimpleHead.metadata`. */
  constructor(value: Value, type = 'v2.Metadata', field = '') {
    // Go names the type that holds the field, which has no name if it is anonymous, and the whole path.
    const name = type.startsWith('struct ') ? '' : type.replace(/^.*\./, '');
    this.#prefix = field === '' ? name : `${name}${field.slice(field.indexOf('.'))}`;
    if (value === null) return;
    if (!(value instanceof Map)) throw decodeError(value, type, field);
    for (const [key, item] of value as ValueMap) this.#fields.set(key.toLowerCase(), item);
  }

  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase());
  }

  raw(name: string): Value {
    return this.#fields.get(name.toLowerCase()) ?? null;
  }

  text(name: string): string {
    const value = this.raw(name);
    if (value === null) return '';
    return textOf(value) ?? this.#fail(value, name, 'string');
  }

  flag(name: string): boolean {
    const value = this.raw(name);
    if (value === null) return false;
    return typeof value === 'boolean' ? value : this.#fail(value, name, 'bool');
  }

  texts(name: string): string[] | undefined {
    const value = this.raw(name);
    if (value === null) return undefined;
    if (!Array.isArray(value)) return this.#fail(value, name, '[]string');
    return value.map((item) => (item === null ? '' : (textOf(item) ?? this.#fail(item, name, 'string'))));
  }

  textMap(name: string): Map<string, string> | undefined {
    const value = this.raw(name);
    if (value === null) return undefined;
    if (!(value instanceof Map)) return this.#fail(value, name, 'map[string]string');
    const map = new Map<string, string>();
    for (const [key, item] of value as ValueMap)
      map.set(key, item === null ? '' : (textOf(item) ?? this.#fail(item, name, 'string')));
    return map;
  }

  list(name: string, goType: string): Value[] | undefined {
    const value = this.raw(name);
    if (value === null) return undefined;
    return Array.isArray(value) ? value : this.#fail(value, name, goType);
  }

  #fail(value: Value, name: string, goType: string): never {
    throw decodeError(value, goType, `${this.#prefix}.${name}`);
  }
}

/** Numbers and booleans become text where Go wants a string, as sigs.k8s.io/yaml converts them. */
function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'boolean' ? String(value) : undefined;
}

function numberText(value: number): string {
  if (Number.isInteger(value)) return String(BigInt(value));
  return String(Number(value.toPrecision(8)) === Math.fround(value) ? value : shortestSingle(value));
}

/** The shortest text that is the same float32: the conversion in Go uses 32 bits. */
function shortestSingle(value: number): string {
  for (let precision = 1; precision <= 9; precision++) {
    const text = value.toPrecision(precision);
    if (Math.fround(Number(text)) === Math.fround(value)) return String(Number(text));
  }
  return String(value);
}

function decodeError(value: Value, goType: string, field: string): MetadataError {
  const where = field === '' ? `Go value of type ${goType}` : `Go struct field ${field} of type ${goType}`;
  return new MetadataError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeOf(value)} into ${where}`,
  );
}

/** Reads Chart.yaml; `requirements` is requirements.yaml, whose fields win. */
export function readMetadata(chartYaml: Value, requirements?: Value): ChartMetadata {
  const chart = new MetadataReader(chartYaml);
  const own = requirements === undefined ? undefined : new MetadataReader(requirements);
  const from = (name: string): MetadataReader => (own?.has(name) ? own : chart);
  const text = (name: string): string => clean(from(name).text(name));
  return {
    name: text('name'),
    home: text('home'),
    sources: from('sources').texts('sources')?.map(clean),
    version: from('version').text('version'),
    description: text('description'),
    keywords: from('keywords').texts('keywords')?.map(clean),
    maintainers: readMaintainers(from('maintainers')),
    icon: text('icon'),
    apiVersion: from('apiVersion').text('apiVersion') || 'v1',
    condition: text('condition'),
    tags: text('tags'),
    appVersion: text('appVersion'),
    deprecated: from('deprecated').flag('deprecated'),
    annotations: from('annotations').textMap('annotations'),
    kubeVersion: text('kubeVersion'),
    dependencies: from('dependencies').list('dependencies', '[]*v2.Dependency')?.map(readDependency),
    type: from('type').text('type'),
  };
}

function readMaintainers(reader: MetadataReader): ChartMetadata['maintainers'] {
  return reader.list('maintainers', '[]*v2.Maintainer')?.map((item) => {
    if (item === null) throw new MetadataError('validation: maintainers must not contain empty or null nodes');
    const maintainer = new MetadataReader(item, 'v2.Maintainer', 'Metadata.maintainers');
    return {
      name: clean(maintainer.text('name')),
      email: clean(maintainer.text('email')),
      url: clean(maintainer.text('url')),
    };
  });
}

function readDependency(item: Value): ChartDependency {
  if (item === null) throw new MetadataError('validation: dependencies must not contain empty or null nodes');
  const reader = new MetadataReader(item, 'v2.Dependency', 'Metadata.dependencies');
  return {
    name: clean(reader.text('name')),
    version: clean(reader.text('version')),
    repository: clean(reader.text('repository')),
    condition: clean(reader.text('condition')),
    tags: reader.texts('tags')?.map(clean) ?? [],
    alias: reader.text('alias'),
    importValues: reader.list('import-values', '[]interface {}') ?? [],
    enabled: reader.flag('enabled'),
  };
}

const instant = '2006-01-02T15:04:05Z07:00';

/** Throws for a Chart.lock or requirements.lock that does not fit its type. */
export function checkLock(value: Value): void {
  const reader = new MetadataReader(value, 'v2.Lock');
  const generated = reader.raw('generated');
  // Go stops at a time that it can not read; other errors wait until the end.
  if (generated !== null) {
    const words =
      typeof generated === 'string' ? parseTime(instant, generated) : 'Time.UnmarshalJSON: input is not a JSON string';
    if (typeof words === 'string') throw new MetadataError(`error unmarshaling JSON: while decoding JSON: ${words}`);
  }
  for (const item of reader.list('dependencies', '[]*v2.Dependency') ?? []) {
    if (item !== null) checkDependency(new MetadataReader(item, 'v2.Dependency', 'Lock.dependencies'));
  }
  reader.text('digest');
}

function checkDependency(reader: MetadataReader): void {
  for (const name of ['alias', 'condition']) reader.text(name);
  reader.flag('enabled');
  reader.list('import-values', '[]interface {}');
  for (const name of ['name', 'repository']) reader.text(name);
  reader.texts('tags');
  reader.text('version');
}

/** Helm's clean-up against forged terminal output: white space becomes spaces, unprintable characters go. */
function clean(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text.replace(/[\t\n\v\f\r\x85\xa0\p{Z}]/gu, ' ').replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '');
}

/** Throws for metadata that Helm refuses, in its words. */
export function validateMetadata(metadata: ChartMetadata): void {
  const refuse = (message: string): never => {
    throw new MetadataError(`validation: ${message}`);
  };
  const { name, version, type } = metadata;
  if (name === '') refuse('chart.metadata.name is required');
  if (name === '.' || name === '..') refuse(`chart.metadata.name ${goQuote(name)} is not allowed`);
  if (name.includes('/')) refuse(`chart.metadata.name ${goQuote(name)} is invalid`);
  if (version === '') refuse('chart.metadata.version is required');
  if (!isSemver(version)) refuse(`chart.metadata.version ${goQuote(version)} is invalid`);
  if (!['', 'application', 'library'].includes(type)) refuse('chart.metadata.type must be application or library');
  const seen = new Set<string>();
  for (const dependency of metadata.dependencies ?? []) {
    if (dependency.alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(dependency.alias)) {
      refuse(`dependency ${goQuote(dependency.name)} has disallowed characters in the alias`);
    }
    const key = dependency.alias || dependency.name;
    if (seen.has(key)) refuse(`more than one dependency with name or alias ${goQuote(key)}`);
    seen.add(key);
  }
}

/** Masterminds' lenient semver: a leading v and missing parts are allowed. */
function isSemver(text: string): boolean {
  const match =
    /^v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/.exec(
      text,
    );
  if (!match) return false;
  return !(match[4] ?? '').split('.').some((part) => /^0[0-9]+$/.test(part));
}
