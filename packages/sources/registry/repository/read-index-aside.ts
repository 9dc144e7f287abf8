import { Worker } from 'node:worker_threads';
import { IndexError, type RepositoryIndex, readIndex } from './repository-index.ts';

/** From this size on reading takes long enough to be felt. */
const large = 1 << 20;

/** Reads an index, a large one in a thread of its own. Throws what `readIndex` throws. */
export function readIndexAside(text: Buffer, limit: number): Promise<RepositoryIndex> {
  if (text.length < large) return new Promise((resolve) => resolve(readIndex(text, limit)));
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./index-worker.ts', import.meta.url), {
      workerData: { text, limit },
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 2000 },
    });
    worker.on('message', ({ index, fault }: { index?: RepositoryIndex; fault?: string }) => {
      if (index) resolve(index);
      else reject(new IndexError(fault ?? ''));
    });
    worker.on('error', (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new IndexError('it needs too much memory to be read') : error),
    );
    worker.on('exit', () => reject(new IndexError('it could not be read')));
  });
}
