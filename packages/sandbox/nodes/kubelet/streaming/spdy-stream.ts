import { Duplex } from 'node:stream';

interface Frames {
  write(chunk: Buffer): void;
  end(): void;
  drained(next: () => void): void;
}

/** One stream of a SPDY connection; ending it ends the sending side alone. */
export class SpdyStream extends Duplex {
  readonly headers: ReadonlyMap<string, string>;
  readonly #frames: Frames;

  constructor(headers: ReadonlyMap<string, string>, frames: Frames) {
    super({ allowHalfOpen: true });
    this.headers = headers;
    this.#frames = frames;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#frames.write(chunk);
    this.#frames.drained(done);
  }

  override _final(done: () => void): void {
    this.#frames.end();
    done();
  }
}
