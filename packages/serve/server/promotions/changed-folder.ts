import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { GitTree, PathEntry } from '@tiphys/git';

const notAText = defineDiagnosis(
  'PromotedFileUnsupported',
  'A folder is to be promoted that has a file which is no plain text: a link, a program, a submodule or binary data',
);

const most = 5_000;

/** What makes a folder of one commit the same as in another; undefined takes a file away. */
export async function changedFolder(
  from: GitTree,
  to: GitTree,
  path: string,
): Promise<Map<string, string | undefined>> {
  const [wanted, present] = [await filesBelow(from, path), await filesBelow(to, path)];
  const files = new Map<string, string | undefined>();
  for (const [name, entry] of wanted) {
    const before = present.get(name);
    if (before?.oid === entry.oid && before.mode === entry.mode) continue;
    if (entry.kind !== 'file' || entry.mode !== '100644') throw unsupported(name, `its mode is ${entry.mode}`);
    files.set(name, textOf(await from.read(name), name));
  }
  for (const name of present.keys()) if (!wanted.has(name)) files.set(name, undefined);
  return files;
}

async function filesBelow(tree: GitTree, path: string): Promise<Map<string, PathEntry>> {
  const found = new Map<string, PathEntry>();
  for await (const entry of tree.list(path === '.' ? '' : path, { recursive: true })) {
    if (entry.kind === 'folder') continue;
    if (found.size >= most) throw unsupported(path, `the folder has more than ${most} files`);
    found.set(entry.path, entry);
  }
  return found;
}

function textOf(data: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    throw unsupported(file, 'it is no UTF-8');
  }
}

function unsupported(file: string, why: string) {
  return failure(notAText, {
    message: `${file} cannot be promoted: ${why}`,
    place: { file },
    remedies: ['Merge the branches with git'],
  });
}
