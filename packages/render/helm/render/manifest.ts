import { compareStrings } from '@tiphys/template';
import { type Wanted, YamlError } from '@tiphys/yaml';
import { readYaml } from '../chart/load-values.ts';
import { MetadataError, MetadataReader } from '../chart/metadata.ts';
import type { Warn } from '../problems/log.ts';
import { kindRank } from './install-order.ts';

/** One document of a rendered template. */
export interface Manifest {
  /** Path of the template: `web/templates/service.yaml`. */
  readonly source: string;
  /** Its text, without the separator. */
  readonly content: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  /** Index among the documents of its template. */
  readonly index: number;
}

export interface Hook extends Manifest {
  /** `pre-install`, `test`, … */
  readonly events: readonly string[];
  readonly weight: number;
  readonly deletePolicies: readonly string[];
}

/** A document that can't be read, in Helm's words. */
export class ManifestError extends Error {
  readonly source: string;
  readonly content: string;
  readonly yaml: YamlError | undefined;
  constructor(source: string, content: string, message: string, yaml?: YamlError) {
    super(`YAML parse error on ${source}: ${message}`);
    this.source = source;
    this.content = content;
    this.yaml = yaml;
  }
}

const events = new Set([
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
]);

/** Cuts a text at its `---` lines; empty parts are left out. `start` is the offset of the content in the text. */
export function splitManifests(text: string): { readonly content: string; readonly start: number }[] {
  const trimmed = trimLeft(text);
  const parts: { content: string; start: number }[] = [];
  const add = (from: number, to: number): void => {
    const content = trimLeft(trimmed.slice(from, to));
    if (content.trim() !== '') parts.push({ content, start: text.length - trimmed.length + to - content.length });
  };
  let at = 0;
  for (const separator of trimmed.matchAll(/^---[ \t]*/gm)) {
    add(at, separator.index);
    at = separator.index + separator[0].length;
  }
  add(at, trimmed.length);
  return parts;
}

/** Go's notion of space. */
function trimLeft(text: string): string {
  return text.replace(/^[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/, '');
}

/** The documents of all templates in the order in which Helm installs them, and the hooks. Throws `ManifestError`. */
export function sortManifests(
  rendered: ReadonlyMap<string, string>,
  warn: Warn,
): { manifests: Manifest[]; hooks: Hook[] } {
  const manifests: Manifest[] = [];
  const hooks: Hook[] = [];
  for (const [source, text] of [...rendered].sort(([a], [b]) => compareStrings(a, b))) {
    const base = source.slice(source.lastIndexOf('/') + 1);
    if (base.startsWith('_') || text.trim() === '') continue;
    for (const [index, { content }] of splitManifests(text).entries()) {
      const head = readHead(source, content);
      const manifest = { source, content, index, kind: head.kind, apiVersion: head.apiVersion, name: head.name };
      const hook = head.annotations.get('helm.sh/hook');
      if (hook === undefined) manifests.push(manifest);
      else {
        const types = hook
          .split(',')
          .map((type) => type.trim().toLowerCase())
          .map((type) => (type === 'test-success' ? 'test' : type));
        if (types.every((type) => events.has(type)))
          hooks.push({ ...manifest, events: types, ...hookFields(head.annotations) });
        else warn('skipping unknown hooks', { level: 'INFO', attributes: { hookTypes: hook } });
      }
    }
  }
  return { manifests: sortByKind(manifests), hooks: sortByKind(hooks) };
}

function hookFields(annotations: ReadonlyMap<string, string>) {
  const weight = annotations.get('helm.sh/hook-weight') ?? '';
  const policies = annotations.get('helm.sh/hook-delete-policy');
  return {
    weight: /^[+-]?[0-9]+$/.test(weight) ? Number(weight) : 0,
    deletePolicies: policies === undefined ? [] : policies.split(',').map((policy) => policy.trim().toLowerCase()),
  };
}

/** What Helm's sorting needs to know of a manifest. */
const head: Wanted = new Map<string, true | Wanted>([
  ['apiversion', true],
  ['kind', true],
  [
    'metadata',
    new Map<string, true>([
      ['name', true],
      ['annotations', true],
    ]),
  ],
]);

function readHead(source: string, content: string) {
  try {
    const reader = new MetadataReader(readYaml(content, {}, head), 'util.SimpleHead');
    const raw = reader.raw('metadata');
    const metadata = new MetadataReader(
      raw,
      'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }',
      'SimpleHead.metadata',
    );
    return {
      apiVersion: reader.text('apiVersion'),
      kind: reader.text('kind'),
      name: metadata.text('name'),
      annotations: metadata.textMap('annotations') ?? new Map<string, string>(),
    };
  } catch (error) {
    if (error instanceof YamlError)
      throw new ManifestError(source, content, `error converting YAML to JSON: ${error.goMessage}`, error);
    if (error instanceof MetadataError) throw new ManifestError(source, content, error.message);
    throw error;
  }
}

/** Stable: kinds that Helm does not know come last, by name. */
function sortByKind<T extends Manifest>(list: T[]): T[] {
  return list.sort((a, b) => {
    const [x, y] = [kindRank(a.kind), kindRank(b.kind)];
    if (x === undefined && y === undefined) return compareStrings(a.kind, b.kind);
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
    return x - y;
  });
}
