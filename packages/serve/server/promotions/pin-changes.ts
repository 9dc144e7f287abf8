import { basename, dirname, join } from 'node:path/posix';
import { isDeepStrictEqual } from 'node:util';
import type { GitTree } from '@tiphys/git';
import { documentsOf, editValue, valueAt } from './edit-value.ts';
import { type Pin, pinsOf, withoutSlash } from './pins.ts';

/** A version of a chart or of a remote base that changes, or would, if a place were found for it. */
export interface PromotedVersion {
  readonly kind: 'chart' | 'base';
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Why it stays as it is. */
  readonly left?: string;
}

/** Files of a source, with the whole commit that they are of. */
export interface SourceFiles {
  readonly tree: GitTree;
  readonly texts: ReadonlyMap<string, string>;
}

export interface PinChanges {
  /** The new texts by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly versions: readonly PromotedVersion[];
}

/** The versions that files of the first one say, put into the files of the second one that say others. */
export async function pinChanges(delivered: readonly SourceFiles[], target: SourceFiles): Promise<PinChanges> {
  const newer = Map.groupBy(delivered.flatMap(pinsOfFiles), keyOf);
  const older = Map.groupBy(pinsOfFiles(target), keyOf);
  const files = new Map<string, string>();
  const changes: { pins: readonly Pin[]; version: PromotedVersion }[] = [];
  for (const [key, pins] of older) {
    const [to, ...others] = new Set(newer.get(key)?.map(({ version }) => version));
    const from = [...new Set(pins.map(({ version }) => version))];
    const [{ kind, name }] = pins as [Pin];
    if (to === undefined || (others.length === 0 && from.length === 1 && from[0] === to)) continue;
    const left =
      others.length > 0
        ? `it is delivered in ${others.length + 1} versions`
        : await changeAll(pins, { to, target, files });
    changes.push({ pins, version: { kind, name, from, to, ...(left ? { left } : {}) } });
  }
  const { stale, versions } = await followLocks(delivered, target, files);
  const told = changes.map(({ pins, version }) => {
    const file = pins.map((pin) => pin.file).find((each) => stale.has(each));
    const left = file && `${lockOf(file)} has to be made anew with it: helm dependency update`;
    return left && !version.left ? { ...version, left } : version;
  });
  return { files, versions: [...told, ...versions] };
}

const keyOf = ({ kind, name }: Pin): string => `${kind} ${name}`;

function pinsOfFiles({ texts }: SourceFiles): Pin[] {
  return [...texts].flatMap(([file, text]) => pinsOf(file, text));
}

/** Why nothing of it is changed; undefined if it is. */
async function changeAll(
  pins: readonly Pin[],
  { to, target, files }: { readonly to: string; readonly target: SourceFiles; readonly files: Map<string, string> },
): Promise<string | undefined> {
  const changed = new Map<string, string>();
  for (const { file, place, chart, version, text } of pins) {
    if (version === to) continue;
    if (chart && lockOf(file) && (await isHeld(target.tree, file, chart)))
      return `charts/ beside ${file} holds it as a file`;
    const before = changed.get(file) ?? files.get(file) ?? target.texts.get(file) ?? '';
    const edited = editValue(before, place, text(to));
    if (edited === undefined) return `${file} says it in a form that cannot be changed`;
    changed.set(file, edited);
  }
  for (const [file, text] of changed) files.set(file, text);
  return undefined;
}

/**
 * Takes over the locks of charts that depend on the very same. The files that no lock follows are told, and are changed no more; and what
 * a lock alone changes.
 */
async function followLocks(
  delivered: readonly SourceFiles[],
  target: SourceFiles,
  files: Map<string, string>,
): Promise<{ stale: ReadonlySet<string>; versions: readonly PromotedVersion[] }> {
  const stale = new Set<string>();
  const versions: PromotedVersion[] = [];
  for (const [file, text] of target.texts) {
    const lock = lockOf(file);
    const present = lock && (await readText(target.tree, lock));
    if (present === undefined || lock === undefined) continue;
    const edited = files.get(file);
    const taken = await sameLock(edited ?? text, basename(file), delivered);
    if (taken === undefined) {
      if (edited !== undefined) stale.add(file);
      files.delete(file);
    } else if (taken !== present) {
      files.set(lock, taken);
      if (edited === undefined) versions.push(...lockedDifferences(present, taken));
    }
  }
  return { stale, versions };
}

/** The lock of a delivered chart with these dependencies. */
async function sameLock(text: string, name: string, delivered: readonly SourceFiles[]): Promise<string | undefined> {
  const wanted = dependenciesOf(text);
  for (const { tree, texts } of delivered)
    for (const [file, content] of texts) {
      const lock = basename(file) === name ? lockOf(file) : undefined;
      if (lock === undefined || !isDeepStrictEqual(dependenciesOf(content), wanted)) continue;
      const held = await readText(tree, lock);
      if (held !== undefined) return held;
    }
  return undefined;
}

function dependenciesOf(text: string): unknown {
  return valueAt(documentsOf(text)[0], ['dependencies']);
}

function lockedDifferences(before: string, after: string): PromotedVersion[] {
  const [older, newer] = [lockedVersions(before), lockedVersions(after)];
  return [...newer].flatMap(([name, to]) => {
    const from = older.get(name);
    return from === undefined || from === to ? [] : [{ kind: 'chart', name, from: [from], to }];
  });
}

function lockedVersions(text: string): Map<string, string> {
  const items = dependenciesOf(text);
  return new Map(
    (Array.isArray(items) ? items : []).map((item: unknown) => [
      `${withoutSlash(String(valueAt(item, ['repository'])))}/${valueAt(item, ['name'])}`,
      String(valueAt(item, ['version'])),
    ]),
  );
}

/** The lock file of a chart; undefined for a file that has none. */
function lockOf(file: string): string | undefined {
  if (basename(file) === 'Chart.yaml') return join(dirname(file), 'Chart.lock');
  return basename(file) === 'requirements.yaml' ? join(dirname(file), 'requirements.lock') : undefined;
}

async function isHeld(tree: GitTree, file: string, chart: string): Promise<boolean> {
  const folder = join(dirname(file), 'charts');
  if ((await tree.entry(folder))?.kind !== 'folder') return false;
  for await (const { path } of tree.list(folder)) {
    const name = basename(path);
    if (name === chart || (name.startsWith(`${chart}-`) && name.endsWith('.tgz'))) return true;
  }
  return false;
}

async function readText(tree: GitTree, file: string): Promise<string | undefined> {
  if ((await tree.entry(file))?.kind !== 'file') return undefined;
  return Buffer.from(await tree.read(file)).toString('utf8');
}
