import { type Printable, printYaml } from '@tiphys/yaml';
import type { Kustomization } from '../kustomization/kustomization.ts';
import { modernize, parseKustomization } from '../kustomization/read-kustomization.ts';

/** The order in which Kustomize writes fields that a file has not yet. */
const order: readonly (keyof Kustomization)[] = [
  'apiVersion',
  'kind',
  'metadata',
  'sortOptions',
  'resources',
  'bases',
  'namePrefix',
  'nameSuffix',
  'namespace',
  'crds',
  'commonLabels',
  'labels',
  'commonAnnotations',
  'patchesStrategicMerge',
  'patchesJson6902',
  'patches',
  'configMapGenerator',
  'secretGenerator',
  'helmCharts',
  'helmChartInflationGenerator',
  'helmGlobals',
  'generatorOptions',
  'vars',
  'images',
  'replacements',
  'replicas',
  'configurations',
  'generators',
  'transformers',
  'validators',
  'components',
  'openapi',
  'buildMetadata',
];

/** A kustomization's text that is changed field by field: fields keep their order and the comments above them. */
export class KustomizationDocument {
  readonly fields: Kustomization;
  readonly #written: { field: keyof Kustomization; comments: string }[] = [];

  /** Throws in Kustomize's words for a text that is no kustomization. */
  constructor(text: string, file: string) {
    this.fields = parseKustomization(text, file).fields;
    modernize(this.fields);
    this.#findComments(text);
  }

  #findComments(text: string): void {
    let comments = '';
    // As in Kustomize, a last line without its newline is not looked at.
    for (const line of text.split('\n').slice(0, -1)) {
      if (/^ *(?:#.*)?$/.test(line)) {
        comments += `${line}\n`;
        continue;
      }
      const field = order.find((name) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
      const last = this.#written.at(-1);
      if (field) this.#written.push({ field, comments });
      else if (last) last.comments += comments;
      else continue;
      comments = '';
    }
  }

  /** The text with the fields as they are now. */
  toString(): string {
    const known = new Set(this.#written.map(({ field }) => field));
    const old = this.#written.map(({ field, comments }) => comments + this.#print(field));
    const fresh = order.filter((field) => !known.has(field)).map((field) => this.#print(field));
    return [...old, ...fresh].join('');
  }

  #print(field: keyof Kustomization): string {
    const value = printed(this.fields, field);
    return value === undefined ? '' : printYaml({ [field]: value });
  }
}

/** All fields in order of name, as Go writes the struct. */
export function printKustomization(fields: Kustomization): string {
  const values = order.flatMap((field) => {
    const value = printed(fields, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return printYaml(Object.fromEntries(values));
}

function printed(fields: Kustomization, field: keyof Kustomization): Printable | undefined {
  const value = field === 'vars' ? fields.vars?.map((item) => ({ fieldref: {}, objref: {}, ...item })) : fields[field];
  const empty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return empty || (value instanceof Map && value.size === 0) ? undefined : plain(value);
}

/** Fields that Go writes even if they are empty. */
const always = new Set(['count', 'orderFirst', 'orderLast', 'select']);

function plain(value: unknown): Printable {
  if (typeof value !== 'object' || value === null) return value as Printable;
  if (Array.isArray(value)) return value.map((item) => plain(item));
  // Labels and the like keep all that they have.
  if (value instanceof Map) return value as ReadonlyMap<string, Printable>;
  const entries = Object.entries(value).filter(([name, item]) => always.has(name) || !isEmpty(item));
  return Object.fromEntries(entries.map(([name, item]) => [name, plain(item)]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0;
}
