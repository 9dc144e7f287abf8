import { createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { type ArtifactStore, isMissing } from '../model/store.ts';
import { placeOf } from './places.ts';
import { retried } from './retry.ts';
import { archiveKind, unpack } from './unpack.ts';
import { walk } from './walk.ts';

/** Files of a folder that are loaded at a time. */
const atOnce = 8;

export interface LoadOptions {
  readonly store: ArtifactStore;
  /** Where it goes; its folder is made, and what is there is replaced. */
  readonly path: string;
  /** As the artifact has it: `none` leaves archives as they are; absent, they are known by their content. */
  readonly archive?: { readonly none?: object; readonly tar?: object; readonly zip?: object };
  /** Permissions of what was loaded. */
  readonly mode?: number;
  /** Whether the permissions are those of all below too. */
  readonly recurseMode?: boolean;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** Brings an artifact to a path: its file, its unpacked archive, or its folder. Throws `ArtifactMissing` where there is nothing. */
export async function loadArtifact({
  store,
  path,
  archive,
  mode,
  recurseMode,
  ...options
}: LoadOptions): Promise<void> {
  const { clock = systemClock, signal = new AbortController().signal } = options;
  await mkdir(dirname(path), { recursive: true });
  const folder = await mkdtemp(join(dirname(path), `.${basename(path)}-`));
  try {
    if (store.kind === 'plugin') await chmod(folder, 0o777);
    const loaded = join(folder, 'artifact');
    await retried(
      async () => {
        await rm(loaded, { recursive: true, force: true });
        await bring(store, loaded, signal);
      },
      { clock, signal },
    );
    const isFile = (await lstat(loaded)).isFile();
    const kind =
      !isFile || archive?.none ? undefined : archive?.tar ? 'tar' : archive?.zip ? 'zip' : await knownKind(loaded);
    if (kind) await unpack(loaded, kind, path);
    else {
      await rm(path, { recursive: true, force: true });
      await rename(loaded, path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (mode !== undefined) await setMode(path, mode, recurseMode === true);
}

/** Without a word of the artifact tars alone are unpacked, as upstream: many a file that is meant as it is, is a zip inside. */
async function knownKind(file: string): Promise<'tar' | undefined> {
  return (await archiveKind(file)) === 'tar' ? 'tar' : undefined;
}

async function bring(store: ArtifactStore, path: string, signal: AbortSignal): Promise<void> {
  if (store.loadTo) return await store.loadTo(path);
  try {
    await pipeline(await store.read(), createWriteStream(path), { signal });
  } catch (error) {
    if (!isMissing(error) || !(await bringFolder(store, path, signal))) throw error;
  }
}

/** Whether there was a folder. */
async function bringFolder(store: ArtifactStore, path: string, signal: AbortSignal): Promise<boolean> {
  const running = new Set<Promise<void>>();
  let [found, failed]: [boolean, unknown] = [false, undefined];
  const one = async (file: string) => {
    const at = join(path, placeOf(file));
    await mkdir(dirname(at), { recursive: true });
    await pipeline(await store.read(file), createWriteStream(at), { signal });
  };
  for await (const file of store.files()) {
    found = true;
    const task = one(file)
      .catch((error: unknown) => {
        failed ??= error;
      })
      .finally(() => running.delete(task));
    running.add(task);
    if (running.size >= atOnce) await Promise.race(running);
    if (failed) break;
  }
  await Promise.all(running);
  if (failed) throw failed;
  return found;
}

async function setMode(path: string, mode: number, recurse: boolean): Promise<void> {
  if (!recurse) return await chmod(path, mode);
  const inner: string[] = [];
  for await (const { path: at, stats } of walk(path)) if (!stats.isSymbolicLink()) inner.push(at);
  // from below: a folder that nobody may enter would hide what is in it
  for (const at of inner.reverse()) await chmod(at, mode);
}
