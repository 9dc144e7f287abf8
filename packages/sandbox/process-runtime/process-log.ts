import type { LogLine } from '@tiphys/nodes';

/** As much as a kubelet keeps of one container by default. */
const maxBytes = 10 * 2 ** 20;

type Listener = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

/** What a process prints: whole lines with their times, and the raw output for anyone who is attached. */
export class ProcessLog {
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  readonly #rest = { stdout: '', stderr: '' };
  #lines: LogLine[] = [];
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  onOutput(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  write(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    const parts = (this.#rest[stream] + chunk.toString()).split('\n');
    this.#rest[stream] = parts.pop() ?? '';
    for (const text of parts) this.#add(text);
    for (const listener of this.#listeners) listener(stream, chunk);
  }

  /** The process has ended: what has no line end yet is a line too, and anyone who listens is told by an empty piece. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#rest[stream]) this.#add(this.#rest[stream]);
      this.#rest[stream] = '';
    }
    for (const listener of this.#listeners) listener('stdout', Buffer.alloc(0));
  }

  #add(text: string): void {
    this.#lines.push({ at: this.#now(), text });
    this.#bytes += text.length;
    if (this.#bytes <= maxBytes) return;
    const half = this.#lines.length >>> 1;
    this.#bytes -= this.#lines.slice(0, half).reduce((sum, line) => sum + line.text.length, 0);
    // a new array: anyone who reads the old one goes on with it
    this.#lines = this.#lines.slice(half);
  }
}
