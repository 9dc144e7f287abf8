import { Readable } from 'node:stream';
import { missing, unsupported } from '../model/failures.ts';
import { type Settings, text } from '../model/fields.ts';
import type { ArtifactStore } from '../model/store.ts';

/** Text that stands in the workflow itself. */
export class RawStore implements ArtifactStore {
  readonly kind = 'raw';
  readonly #data: string;

  constructor(settings: Settings) {
    this.#data = text(settings, 'data');
  }

  async read(file?: string): Promise<Readable> {
    if (file) throw missing({ what: `the file ${file} of a raw artifact`, remote: 'the workflow' });
    return Readable.from([Buffer.from(this.#data)]);
  }

  async write(): Promise<void> {
    throw unsupported('raw', 'written', 'Keep outputs in another store: raw is the text of an input');
  }

  async *files(): AsyncIterable<string> {}

  async remove(): Promise<void> {
    throw unsupported('raw', 'removed', 'Leave artifactGC away for it');
  }

  async close(): Promise<void> {}
}
