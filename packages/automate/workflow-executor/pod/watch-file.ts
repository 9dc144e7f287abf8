import { existsSync, type FSWatcher, mkdirSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** How often it is looked where the kernel tells nothing: it may be out of watches. */
const lookEvery = 1000;

/** Calls `seen` when a file is there and whenever it was written, until `seen` gives true; rejects when the signal aborts. */
export function watchFile(path: string, seen: () => boolean, signal: AbortSignal): Promise<void> {
  const folder = dirname(path);
  openFolder(folder);
  return new Promise((resolve, reject) => {
    let watcher: FSWatcher | undefined;
    const timer = setInterval(look, lookEvery);
    const stop = () => {
      clearInterval(timer);
      watcher?.close();
      signal.removeEventListener('abort', aborted);
    };
    function aborted() {
      stop();
      reject(signal.reason);
    }
    function look() {
      if (!existsSync(path) || !seen()) return;
      stop();
      resolve();
    }
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted);
    try {
      watcher = watch(folder, look);
      watcher.on('error', () => watcher?.close());
    } catch {
      // out of watches: the timer sees it a second later
      watcher = undefined;
    }
    look();
  });
}

/** Makes a folder in which containers of any user may write. */
export function openFolder(folder: string): void {
  const before = process.umask(0);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o777 });
  } finally {
    process.umask(before);
  }
}
