import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import type { LayerEntry } from '@tiphys/registry';
import { pluginStreamInvalid } from './diagnoses.ts';

/** A folder of its own that holds the files; `remove` takes it away with all that was written into it. */
export interface WorkFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Writes files below `parent`. Links come last, so that nothing is written through one of them. */
export async function writeFolder(
  parent: string,
  files: readonly LayerEntry[],
  options: { preserveFileMode: boolean },
): Promise<WorkFolder> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(parent, 'app-'));
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    for (const { path: name, kind, data, mode } of files) {
      if (kind === 'link') continue;
      const target = join(path, name);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, data);
      if (options.preserveFileMode) await chmod(target, mode);
    }
    for (const { path: name, kind, data } of files) {
      if (kind !== 'link') continue;
      const target = join(path, name);
      await mkdir(dirname(target), { recursive: true });
      await symlink(Buffer.from(data).toString('utf8'), target);
    }
    return { path, remove };
  } catch (error) {
    await remove();
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(code)) throw error;
    throw failure(
      pluginStreamInvalid,
      { message: `error decompressing tgz file: ${(error as Error).message}`, remedies: ['Send each path once'] },
      { cause: error },
    );
  }
}

/** The folder of an application inside of a work folder; throws if it leads out of it. */
export function appFolder({ path }: WorkFolder, appRelPath: string): string {
  const folder = join(path, appRelPath);
  if (folder === path || folder.startsWith(`${path}/`)) return folder;
  throw failure(pluginStreamInvalid, {
    message: 'illegal appPath: out of workDir bound',
    evidence: { appRelPath },
    remedies: ['Name a folder inside of the archive'],
  });
}
