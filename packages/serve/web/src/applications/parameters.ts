import { parse } from 'yaml';
import type { ChartParameter } from '../api/parameters.ts';
import { type Draft, drySource, isHydrated, valueAt, withValue } from './draft.ts';

/** A value of a chart as the application has it. */
export interface ChartValue {
  readonly parameter: ChartParameter;
  readonly value: string;
  /** Who says it: a file with its line, or the application by its own values or by a parameter. */
  readonly origin: { readonly file: string; readonly line: number } | 'values' | 'parameter';
}

interface Override {
  readonly name: string;
  readonly value?: string;
  readonly forceString?: boolean;
}

/** What a chart's values are in the end: parameters win over inline values, these over files. `path` is that of the source. */
export function chartValues(draft: Draft, path: string, known: readonly ChartParameter[]): ChartValue[] {
  const inline = inlineValues(draft, path);
  const overrides = new Map(overridesOf(draft, path).map(({ name, value }) => [name, value ?? '']));
  const values = known.map((parameter): ChartValue => {
    const own = overrides.get(parameter.set ?? parameter.name);
    overrides.delete(parameter.set ?? parameter.name);
    if (own !== undefined) return { parameter, value: own, origin: 'parameter' };
    const given = inline.get(parameter.name);
    if (given !== undefined) return { parameter, value: given, origin: 'values' };
    const place = parameter.places.at(-1);
    return { parameter, value: parameter.value, origin: place ?? 'values' };
  });
  // what the application sets and no file has
  const more = [...overrides].map(([name, value]): ChartValue => {
    return { parameter: { name, isText: false, value: '', places: [] }, value, origin: 'parameter' };
  });
  return [...more, ...values];
}

/** Values that helm would not take as a text if they were given as they are. */
const notText = /^(true|false|null|-?\d+(\.\d+)?(e[+-]?\d+)?|)$/i;

/** The draft with a parameter for a value of the chart; undefined takes it out again. */
export function withParameter(
  draft: Draft,
  path: string,
  { name, set, isText }: ChartParameter,
  value: string | undefined,
): Draft {
  const key = set ?? name;
  const others = overridesOf(draft, path);
  const at = others.findIndex((one) => one.name === key);
  const entry = { name: key, value, ...(isText && notText.test(value ?? '') ? { forceString: true } : {}) };
  const next =
    value === undefined
      ? others.filter((one) => one.name !== key)
      : at < 0
        ? [...others, entry]
        : others.with(at, entry as Override);
  return withValue(draft, `${path}.helm.parameters`, next.length > 0 ? next : undefined);
}

function overridesOf(draft: Draft, path: string): readonly Override[] {
  const value = valueAt(draft, `${path}.helm.parameters`);
  return Array.isArray(value) ? value.filter((one): one is Override => typeof one?.name === 'string') : [];
}

function inlineValues(draft: Draft, path: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const text = valueAt(draft, `${path}.helm.values`);
  const object = valueAt(draft, `${path}.helm.valuesObject`);
  // as upstream: the object counts where both are given
  flatten(object ?? (typeof text === 'string' ? parsed(text) : undefined), '', found);
  return found;
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // the preview tells what is wrong with it
    return undefined;
  }
}

function flatten(value: unknown, path: string, found: Map<string, string>): void {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) flatten(item, `${path}[${index}]`, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) flatten(item, path === '' ? key : `${path}.${key}`, found);
  else if (path !== '') found.set(path, value === null ? '<nil>' : String(value));
}

/** An image in its parts: the tag or digest with its mark, such as `:1.2` or `@sha256:…`. */
export function imageParts(image: string): { name: string; version: string } {
  const digest = image.indexOf('@');
  if (digest >= 0) return { name: image.slice(0, digest), version: image.slice(digest) };
  const colon = image.indexOf(':', image.lastIndexOf('/') + 1);
  return colon < 0 ? { name: image, version: '' } : { name: image.slice(0, colon), version: image.slice(colon) };
}

/** The entry of `kustomize.images` that makes an image what it is; undefined if the kustomization alone does. */
export function imageOverride(draft: Draft, path: string, image: string): string | undefined {
  return imagesOf(draft, path).find((entry) => namesOf(entry).now === imageParts(image).name);
}

/** The draft with another tag or digest of an image; empty takes the entry out again. */
export function withImage(draft: Draft, path: string, image: string, version: string): Draft {
  const images = imagesOf(draft, path);
  const entry = imageOverride(draft, path, image);
  const { name } = imageParts(image);
  const old = entry === undefined ? name : namesOf(entry).old;
  const written = /^[:@]/.test(version) ? version : `:${version}`;
  const next = version === '' ? [] : [`${old === name ? '' : `${old}=`}${name}${written}`];
  const at = entry === undefined ? images.length : images.indexOf(entry);
  const changed = images.toSpliced(at, 1, ...next);
  return withValue(draft, `${path}.kustomize.images`, changed.length > 0 ? changed : undefined);
}

function imagesOf(draft: Draft, path: string): readonly string[] {
  const value = valueAt(draft, `${path}.kustomize.images`);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function namesOf(entry: string): { old: string; now: string } {
  const [old = '', renamed] = entry.split('=');
  const from = imageParts(old).name;
  return { old: from, now: renamed === undefined ? from : imageParts(renamed).name };
}

/** The parameter that a plugin is given under a name, as fields show it: lists and maps one entry a line. */
export function pluginValue(draft: Draft, path: string, name: string): string | undefined {
  const given = pluginParameters(draft, path).find((one) => one.name === name);
  if (!given) return undefined;
  if (Array.isArray(given.array)) return given.array.join('\n');
  if (typeof given.map === 'object' && given.map !== null)
    return Object.entries(given.map)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join('\n');
  return typeof given.string === 'string' ? given.string : '';
}

export type PluginShape = 'string' | 'array' | 'map';

/** The draft with a parameter of a plugin; undefined takes it out again. */
export function withPluginValue(
  draft: Draft,
  path: string,
  { name, shape }: { readonly name: string; readonly shape: PluginShape },
  text: string | undefined,
): Draft {
  const others = pluginParameters(draft, path);
  const at = others.findIndex((one) => one.name === name);
  const next =
    text === undefined
      ? others.filter((one) => one.name !== name)
      : others.toSpliced(at < 0 ? others.length : at, 1, { name, [shape]: shaped(shape, text) });
  return withValue(draft, `${path}.plugin.parameters`, next.length > 0 ? next : undefined);
}

function shaped(shape: PluginShape, text: string): unknown {
  if (shape === 'string') return text;
  const lines = text.split('\n');
  if (shape === 'array') return lines;
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf('=');
      return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
    }),
  );
}

function pluginParameters(draft: Draft, path: string): readonly Record<string, unknown>[] {
  const value = valueAt(draft, `${path}.plugin.parameters`);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** What of a draft decides which parameters there are, to be asked again only when that changes. */
export function askedForParameters(draft: Draft): Draft {
  const kept = (source: unknown) => {
    const { helm, plugin, ...rest } = source as Record<string, Record<string, unknown> | undefined>;
    const { parameters: _, values: __, valuesObject: ___, ...chart } = helm ?? {};
    const { parameters: ____, ...others } = plugin ?? {};
    return { ...rest, ...(helm ? { helm: chart } : {}), ...(plugin ? { plugin: others } : {}) };
  };
  const sources = valueAt(draft, 'spec.sources');
  return {
    apiVersion: draft.apiVersion,
    kind: draft.kind,
    metadata: {
      name: valueAt(draft, 'metadata.name') ?? '',
      ...(valueAt(draft, 'metadata.namespace') ? { namespace: valueAt(draft, 'metadata.namespace') } : {}),
    },
    spec: {
      project: valueAt(draft, 'spec.project'),
      destination: valueAt(draft, 'spec.destination') ?? {},
      ...(Array.isArray(sources)
        ? { sources: sources.map(kept) }
        : { source: kept(valueAt(draft, isHydrated(draft) ? drySource : 'spec.source') ?? {}) }),
    },
  };
}
