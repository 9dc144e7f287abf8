import type { ApplicationSourceHelm } from '@tiphys/api';
import type { GitTree } from '@tiphys/git';
import type { ParameterAnnouncement } from '@tiphys/plugin';
import { decodeText } from './decode-text.ts';
import type { DesiredObject } from './desired-object.ts';
import type { SourceType } from './rendered.ts';
import { readDocuments } from './yaml-documents.ts';

/** What a source can be told, by its tool: `RepoAppDetailsResponse` of Argo CD's API. */
export interface SourceDetails {
  readonly type: SourceType;
  readonly helm?: HelmDetails;
  readonly kustomize?: { readonly images: readonly string[] };
  readonly plugin?: { readonly parametersAnnouncement: readonly ParameterAnnouncement[] };
}

export interface HelmDetails {
  /** Files of the chart that may be meant as values, from its folder. */
  readonly valueFiles: readonly string[];
  /** Text of values.yaml. */
  readonly values: string;
  /** Values of values.yaml and of the chosen files, by path. */
  readonly parameters: readonly HelmParameter[];
  readonly fileParameters: readonly { readonly name: string; readonly path: string }[];
}

/** A value by its path, such as `a.b[0]`; what files say of it, in their order: the last one counts. */
export interface HelmParameter {
  readonly name: string;
  /** The name as `helm --set` reads it, where that differs: a key with dots. */
  readonly set?: string;
  /** Whether the last file gives a text: what looks like a number must stay one then. */
  readonly isText: boolean;
  readonly value: string;
  readonly places: readonly ParameterPlace[];
}

export interface ParameterPlace {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly value: string;
}

/** Looks at a chart without rendering it; `chosen` are the texts of the source's values files, in their order. */
export async function helmDetails(
  tree: GitTree,
  folder: string,
  helm: ApplicationSourceHelm | undefined,
  options: { readonly chosen: readonly { path: string; text: string }[]; readonly maxBytes: number },
): Promise<HelmDetails> {
  const valueFiles: string[] = [];
  for await (const { path, kind } of tree.list(folder, { recursive: true })) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (kind === 'folder' || !name.includes('values') || !/\.ya?ml$/i.test(name)) continue;
    valueFiles.push(folder === '' ? path : path.slice(folder.length + 1));
  }
  const own = folder === '' ? 'values.yaml' : `${folder}/values.yaml`;
  const entry = await tree.resolve(own);
  const values = entry?.kind === 'file' ? decodeText(await tree.read(own, options), own) : '';
  const parameters = new Map<string, Found>();
  for (const { path, text } of [{ path: own, text: values }, ...options.chosen]) {
    const [document] = readDocuments(text, path, () => undefined);
    if (document)
      flatten(document.value, [], (at, value) => {
        const name = nameOf(at, (key) => key);
        const place = { file: path, line: document.lineOf(at), value: value === null ? '<nil>' : String(value) };
        const places = [...(parameters.get(name)?.places ?? []), place];
        parameters.set(name, { at, isText: typeof value === 'string', places });
      });
  }
  return {
    valueFiles,
    values,
    parameters: [...parameters]
      .map(([name, { at, isText, places }]) => {
        const set = nameOf(at, escaped);
        return { name, ...(set === name ? {} : { set }), isText, value: places.at(-1)?.value ?? '', places };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    fileParameters: (helm?.fileParameters ?? []).map(({ name = '', path = '' }) => ({ name, path })),
  };
}

type Keys = readonly (string | number)[];

interface Found {
  readonly at: Keys;
  readonly isText: boolean;
  readonly places: readonly ParameterPlace[];
}

/** Tells each value with where it is; maps and lists without any are nothing, as upstream. */
function flatten(value: unknown, at: Keys, found: (at: Keys, value: unknown) => void): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) flatten(item, [...at, index], found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) flatten(item, [...at, key], found);
  } else if (at.length > 0) found(at, value);
}

/** `a.b[0].c` */
function nameOf(at: Keys, written: (key: string) => string): string {
  return at.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}${name && '.'}${written(key)}`),
    '',
  );
}

const escaped = (key: string) => key.replace(/[\\.,=[\]{}]/g, '\\$&');

/** Images of all containers, sorted, as often as they are used. */
export function imagesOf(objects: readonly DesiredObject[]): string[] {
  return objects.flatMap(({ object }) => imagesIn(object)).sort();
}

function imagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    (name === 'containers' || name === 'initContainers') && Array.isArray(item)
      ? item.flatMap((container: unknown) => {
          const { image } = (container ?? {}) as { image?: unknown };
          return image === undefined ? [] : [String(image)];
        })
      : imagesIn(item),
  );
}
