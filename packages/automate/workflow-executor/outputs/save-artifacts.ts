import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openStore, saveArtifact } from '@tiphys/artifacts';
import type { PodContext } from '../pod/pod-context.ts';
import { say } from '../pod/say.ts';
import { type Artifact, isOwnFile } from '../pod/template.ts';
import { messageOf } from '../pod/termination-log.ts';
import type { Problems, Work } from '../work/work.ts';
import { accessOf, placeOf, withPlace } from './artifact-place.ts';
import { unpackOwn } from './unpack-own.ts';

/** Something of this machine that is to be stored, under a name of its own. */
interface Staged {
  readonly path: string;
  readonly fileName: string;
  /** `none` for what is stored as it is. */
  readonly archive: NonNullable<Artifact['archive']>;
}

/** Stores the output artifacts and gives those that were stored, as they are reported. What fails is added to the problems. */
export async function captureArtifacts({ context, signal }: Work, problems: Problems): Promise<Artifact[]> {
  const saved: Artifact[] = [];
  const failed: string[] = [];
  for (const artifact of context.template.outputs?.artifacts ?? []) {
    try {
      const stored = await capture(context, artifact);
      if (stored) saved.push(stored);
    } catch (error) {
      failed.push(messageOf(error));
    }
  }
  if (failed.length > 0)
    problems.add(new Error(`${failed.join('; ')};${signal.aborted ? ' the pod was being deleted' : ''}`));
  return saved;
}

async function capture(context: PodContext, artifact: Artifact): Promise<Artifact | undefined> {
  const staged = await stage(context, artifact);
  if (!staged) {
    if (!artifact.optional) throw new Error(`${artifact.path} no such file or directory`);
    say(`the optional artifact ${artifact.name} does not exist`);
    return undefined;
  }
  const placed = withPlace(context, artifact, staged.fileName);
  await storeFile(context, placed, staged);
  say(`saved the artifact ${artifact.name}`);
  return placed;
}

/** Stores one file or folder at the place of an artifact. The container may be ending: what it leaves is stored nevertheless. */
export async function storeFile(
  context: PodContext,
  artifact: Artifact,
  { path, archive }: Pick<Staged, 'path' | 'archive'>,
): Promise<void> {
  const store = await openStore(placeOf(context, artifact).location, accessOf(context));
  try {
    mkdirSync(context.folders.temporary, { recursive: true });
    await saveArtifact({ store, path, archive, temporary: context.folders.temporary });
  } finally {
    await store.close();
  }
}

/** Undefined if there is nothing. */
async function stage(context: PodContext, artifact: Artifact): Promise<Staged | undefined> {
  const { name, path = '', archive = { tar: {} } } = artifact;
  if (!path) throw new Error(`Artifact '${name}' did not specify a path`);
  const packedName = archive.zip ? `${name}.zip` : `${name}.tgz`;
  if (!isOwnFile(context.template, path)) {
    const mirrored = join(context.folders.mirror, path);
    if (!existsSync(mirrored)) return undefined;
    // without a container runtime a mount is a link
    const mounted = context.folders.root ? realpathSync(mirrored) : mirrored;
    return { path: mounted, fileName: archive.none ? basename(path) : packedName, archive };
  }
  const packed = join(context.folders.run, 'outputs/artifacts', `${path.replace(/\/$/, '')}.tgz`);
  if (!existsSync(packed)) return undefined;
  // the emissary has packed it already
  if (!archive.none && !archive.zip) return { path: packed, fileName: packedName, archive: { none: {} } };
  const folder = join(context.folders.temporary, name);
  return { path: await unpackOwn(packed, folder), fileName: archive.none ? basename(path) : packedName, archive };
}
