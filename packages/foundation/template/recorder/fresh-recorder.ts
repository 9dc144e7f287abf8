import { randomBytes } from 'node:crypto';
import type { Recorder } from './recorder.ts';

/** Records nothing: each generation is a new one, as with Helm. */
export function freshRecorder(): Recorder {
  return {
    generate: (_generation, make) => make(),
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
    now: () => Date.now(),
  };
}
