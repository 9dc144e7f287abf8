import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { containerFolder, type Folders } from './folders.ts';
import { openFolder, watchFile } from './watch-file.ts';

const killWait = 10_000;

/** Resolves when all containers have left their exit codes; rejects when the signal aborts. */
export async function containersEnded(folders: Folders, names: readonly string[], signal: AbortSignal): Promise<void> {
  await Promise.all(
    names.map((name) => watchFile(join(containerFolder(folders, name), 'exitcode'), () => true, signal)),
  );
}

/** Asks containers to end, and kills what has not ended after the grace period (milliseconds). */
export async function endContainers(
  folders: Folders,
  { names, grace }: { names: readonly string[]; grace: number },
): Promise<void> {
  for (const [signal, wait] of [
    [15, grace],
    [9, killWait],
  ] as const) {
    for (const name of names) sendSignal(folders, name, signal);
    try {
      await containersEnded(folders, names, AbortSignal.timeout(wait));
      return;
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error;
    }
  }
}

/** The emissary of the container sends it on, and removes the file. */
function sendSignal(folders: Folders, name: string, signal: number): void {
  const folder = containerFolder(folders, name);
  openFolder(folder);
  const before = process.umask(0);
  try {
    writeFileSync(join(folder, 'signal'), String(signal), { mode: 0o666 });
  } finally {
    process.umask(before);
  }
}
