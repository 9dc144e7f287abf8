import { createHash } from 'node:crypto';
import { failure } from '@tiphys/diagnosis';
import type { GitTree, PathEntry } from '@tiphys/git';
import { manifestsTooBig } from '../request/diagnoses.ts';
import type { ReadPath } from '../request/rendered.ts';

/** The files of a chart's folder, before any is read. */
export interface ChartSelection {
  /** Path inside the chart → the file, links followed. */
  readonly files: ReadonlyMap<string, PathEntry>;
  /** Differs if and only if a file has another path or content. */
  readonly digest: string;
  readonly paths: readonly ReadPath[];
}

export interface ChartBounds {
  readonly files: number;
  readonly bytes: number;
}

/** Folders of folders of links to folders: enough for any chart, too little for a loop. */
const maxDepth = 64;

/** Finds the files of a chart. Links to files and folders are followed, inside the repository only. */
export async function selectChart(tree: GitTree, folder: PathEntry, bounds: ChartBounds): Promise<ChartSelection> {
  const files = new Map<string, PathEntry>();
  const paths: ReadPath[] = [];
  const visit = async (from: string, prefix: string, depth: number): Promise<void> => {
    for await (const entry of tree.list(from)) {
      // Without submodules their folders are empty.
      if (entry.kind === 'submodule') continue;
      if (entry.kind === 'link') paths.push({ path: entry.path, oid: entry.oid });
      const target = entry.kind === 'link' ? await tree.resolve(entry.path) : entry;
      if (target === undefined) continue;
      const name = `${prefix}${entry.path.slice(entry.path.lastIndexOf('/') + 1)}`;
      if (target.kind === 'folder' && depth < maxDepth) await visit(target.path, `${name}/`, depth + 1);
      else if (target.kind === 'folder') throw tooBig(folder.path, `folders are nested deeper than ${maxDepth}`);
      else if (target.kind === 'file') {
        files.set(name, target);
        paths.push({ path: target.path, oid: target.oid });
      }
      if (files.size > bounds.files) throw tooBig(folder.path, `it has more than ${bounds.files} files`);
    }
  };
  await visit(folder.path, '', 0);
  const digest = createHash('sha256');
  for (const [name, { oid }] of files) digest.update(`${name}\0${oid}\0`);
  return { files, digest: digest.digest('hex'), paths };
}

/** The contents of a chart's files. Throws before anything is read if they are too big together. */
export async function readChart(
  tree: GitTree,
  folder: PathEntry,
  selection: ChartSelection,
  bounds: ChartBounds,
): Promise<Record<string, Uint8Array>> {
  const sizes = await Promise.all([...selection.files.values()].map((entry) => tree.size(entry)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > bounds.bytes)
    throw tooBig(folder.path, `its files have ${total} bytes together; the limit is ${bounds.bytes}`);
  const contents = await Promise.all(
    [...selection.files].map(
      async ([name, entry]) => [name, await tree.read(entry.path, { maxBytes: bounds.bytes })] as const,
    ),
  );
  return Object.fromEntries(contents);
}

function tooBig(path: string, why: string) {
  return failure(manifestsTooBig, {
    message: `The chart ${path || 'at the root of the repository'} is too big: ${why}`,
    place: { file: path },
    remedies: ['Keep in the chart’s folder only what the chart needs'],
  });
}
