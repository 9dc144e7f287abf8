import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import { pluginConfigInvalid } from './diagnoses.ts';
import { type PluginConfig, readPluginConfig, socketName } from './plugin-config.ts';

/**
 * The plugins of a folder: its `plugin.yaml`, or those of the folders in it. Throws a diagnosis where there is none, where two
 * have one name, and for each that cannot be used.
 */
export async function readPluginFolder(folder: string): Promise<PluginConfig[]> {
  const files = await pluginFiles(folder);
  if (files.length === 0)
    throw failure(pluginConfigInvalid, {
      message: 'There is no plugin.yaml in the folder, nor in one of its folders',
      place: { file: folder },
      remedies: ['Name the folder of a plugin.yaml, or the folder of such folders'],
    });
  const configs = new Map<string, PluginConfig>();
  for (const file of files) {
    const config = readPluginConfig(await readFile(file, 'utf8'), file);
    const name = socketName(config);
    if (configs.has(name))
      throw failure(pluginConfigInvalid, {
        message: `Two plugins have the name ${name}`,
        place: { file },
        remedies: ['Give each metadata.name and spec.version of its own'],
      });
    configs.set(name, config);
  }
  return [...configs.values()];
}

async function pluginFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    if (entries.some((entry) => !entry.isDirectory() && entry.name === 'plugin.yaml'))
      return [join(folder, 'plugin.yaml')];
    const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
    const found = await Promise.all(
      inner.map(async (path) => ((await readdir(path)).includes('plugin.yaml') ? [join(path, 'plugin.yaml')] : [])),
    );
    return found.flat().sort();
  } catch (error) {
    throw failure(
      pluginConfigInvalid,
      {
        message: `The folder of plugins cannot be read: ${(error as Error).message}`,
        place: { file: folder },
        remedies: ['Name a folder that is there'],
      },
      { cause: error },
    );
  }
}
