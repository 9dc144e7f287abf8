import { parentPort, workerData } from 'node:worker_threads';
import { indexFault, readIndex } from './repository-index.ts';

/** Reads one index for another thread, which large ones would keep from its work for seconds. */
const { text, limit } = workerData as { text: Uint8Array; limit: number };
try {
  parentPort?.postMessage({ index: readIndex(Buffer.from(text.buffer, text.byteOffset, text.byteLength), limit) });
} catch (error) {
  const fault = indexFault(error);
  if (fault === undefined) throw error;
  parentPort?.postMessage({ fault });
}
