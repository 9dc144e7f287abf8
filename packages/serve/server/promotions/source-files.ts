import { join, normalize } from 'node:path/posix';
import type { ApplicationSource } from '@tiphys/api';
import type { GitTree } from '@tiphys/git';

const mostFiles = 2_000;
const largest = 1024 * 1024;

/** The YAML files below the path of a Git source, and the values files of all sources that are in it, with their texts. */
export async function filesOfSource(
  tree: GitTree,
  sources: readonly ApplicationSource[],
  index: number,
): Promise<Map<string, string>> {
  const { path = '.', ref } = sources[index] as ApplicationSource;
  const found = new Map<string, string>();
  const add = async (file: string) => {
    const entry = await tree.entry(file);
    if (entry?.kind !== 'file' || found.size >= mostFiles || (await tree.size(entry)) > largest) return;
    found.set(file, Buffer.from(await tree.read(file)).toString('utf8'));
  };
  // a source without a path that others refer to makes no manifests of its own
  if (sources[index]?.path !== undefined || !ref)
    for await (const entry of tree.list(normalize(path) === '.' ? '' : normalize(path), { recursive: true }))
      if (entry.kind === 'file' && /(?:\.ya?ml|(?:^|\/)Kustomization)$/.test(entry.path)) await add(entry.path);
  for (const [at, { helm, path: base = '.' }] of sources.entries())
    for (const file of helm?.valueFiles ?? []) {
      const place = placeOf(file, { ref, own: at === index ? base : undefined });
      if (place !== undefined) await add(place);
    }
  return found;
}

/** Where a values file is in this source; undefined if it is in another one, or not in Git. */
function placeOf(file: string, { ref, own }: { ref: string | undefined; own: string | undefined }): string | undefined {
  if (file.startsWith('$'))
    return ref && file.startsWith(`$${ref}/`) ? normalize(file.slice(ref.length + 2)) : undefined;
  if (own === undefined || file.includes('://')) return undefined;
  return file.startsWith('/') ? normalize(file.slice(1)) : normalize(join(own, file));
}
