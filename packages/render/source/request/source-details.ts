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
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly fileParameters: readonly { readonly name: string; readonly path: string }[];
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
  const parameters = new Map<string, string>();
  for (const { path, text } of [{ path: own, text: values }, ...options.chosen]) {
    const [document] = readDocuments(text, path, () => undefined);
    flatten(document?.value, '', parameters);
  }
  return {
    valueFiles,
    values,
    parameters: [...parameters].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    fileParameters: (helm?.fileParameters ?? []).map(({ name = '', path = '' }) => ({ name, path })),
  };
}

/** `a.b[0].c` for each value; maps and lists without any are nothing, as upstream. */
function flatten(value: unknown, path: string, found: Map<string, string>): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) flatten(item, `${path}[${index}]`, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) flatten(item, path === '' ? key : `${path}.${key}`, found);
  } else if (path !== '') found.set(path, value === null ? '<nil>' : String(value));
}

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
