import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PluginServer, readPluginFolder, startPluginServer } from '@tiphys/plugin';

/** Serves all plugins of a folder on sockets in a folder of their own. */
export async function servePlugins(
  folder: string,
  log: (line: string) => void,
): Promise<{ socketFolder: string; close(): Promise<void> }> {
  const configs = await readPluginFolder(folder);
  // The path of a socket may not be long.
  const socketFolder = mkdtempSync(join(tmpdir(), 'tiphys-plugins-'));
  const servers: PluginServer[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
    rmSync(socketFolder, { recursive: true, force: true });
  };
  try {
    for (const config of configs)
      servers.push(await startPluginServer({ config, socketFolder, workFolder: join(socketFolder, 'work'), log }));
    return { socketFolder, close };
  } catch (error) {
    await close();
    throw error;
  }
}
