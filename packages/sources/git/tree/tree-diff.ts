import type { ObjectSource } from './git-tree.ts';

/** One path that differs between two trees; an id is absent where the side has no such file. */
export interface ChangedPath {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** Files that differ, in order of path; equal folders are not opened. */
export async function* diffTrees(
  objects: ObjectSource,
  before: string | undefined,
  after: string | undefined,
  prefix = '',
): AsyncGenerator<ChangedPath> {
  if (before === after) return;
  const [old, now] = await Promise.all(
    [before, after].map((oid) => (oid === undefined ? new Map<string, never>() : objects.folder(oid))),
  );
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  for (const name of [...names].sort()) {
    const [was, is] = [old?.get(name), now?.get(name)];
    if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const [wasFolder, isFolder] = [was?.kind === 'folder', is?.kind === 'folder'];
    if (wasFolder || isFolder)
      yield* diffTrees(objects, wasFolder ? was?.oid : undefined, isFolder ? is?.oid : undefined, path);
    if ((was && !wasFolder) || (is && !isFolder)) {
      yield { path, ...(was && !wasFolder ? { before: was.oid } : {}), ...(is && !isFolder ? { after: is.oid } : {}) };
    }
  }
}
