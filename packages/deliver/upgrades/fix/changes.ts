import type { ApiUse } from '../find/finding.ts';
import type { CustomLives, Release } from '../knowledge/api-life.ts';
import { apiVersionOf } from '../knowledge/api-life.ts';
import { fixText } from './fix.ts';
import { patchOf } from './patch.ts';

/** A file of a repository. */
export interface FileText {
  readonly text: string;
  /** Who wrote a line (1-based); undefined if the history does not tell. */
  writer?(line: number): Promise<{ commit: string; author: string; date: string } | undefined>;
}

/**
 * Adds to each use of a file what changes there: the line, the patch, and the commit that wrote it; or why people have to change it.
 * `read` gives a file, or undefined for one that is made while rendering. Files are read once.
 */
export async function withChanges(
  uses: readonly ApiUse[],
  target: Release,
  read: (file: string) => Promise<FileText | undefined>,
  custom?: CustomLives,
): Promise<ApiUse[]> {
  const files = new Map<string, Promise<FileText | undefined>>();
  const fileOf = (name: string) => {
    const known = files.get(name) ?? read(name);
    files.set(name, known);
    return known;
  };
  return await Promise.all(
    uses.map(async (use) => {
      const file = use.file === undefined ? undefined : await fileOf(use.file);
      return file && use.file ? await changed(use, use.file, file, { target, ...(custom ? { custom } : {}) }) : use;
    }),
  );
}

async function changed(
  use: ApiUse,
  name: string,
  file: FileText,
  { target, custom }: { readonly target: Release; readonly custom?: CustomLives },
): Promise<ApiUse> {
  const { changes, refusals } = fixText(file.text, target, custom);
  const apiVersion = apiVersionOf(use.api);
  const lines = file.text.split('\n');
  const isOf = ({ line }: { readonly line: number }) => lines[line - 1]?.includes(apiVersion) ?? false;
  const from = use.line ?? 1;
  // an object begins at its first field, which need not be the apiVersion; a template begins where it likes
  const nearest = <T extends { readonly line: number }>(found: readonly T[]) =>
    found.filter(isOf).sort((a, b) => Math.abs(a.line - from) - Math.abs(b.line - from))[0];
  const change = nearest(changes);
  const refusal = nearest(refusals);
  const place = change ?? refusal;
  if (!place) return use;
  const written = await file.writer?.(place.line);
  return {
    ...use,
    line: place.line,
    ...(written ? { commit: { revision: written.commit, author: written.author, at: written.date } } : {}),
    ...(change
      ? { change: { ...change, patch: patchOf(name, file.text, [change]) } }
      : { byHand: refusal?.reason ?? '' }),
  };
}
