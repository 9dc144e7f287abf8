import type { Chart } from '@tiphys/helm';
import { chartOf } from './helm-source.ts';

/** Loaded charts by the digest of their files, least recently used dropped: many applications use one chart. */
export class ChartCache {
  readonly #charts = new Map<string, { readonly chart: Chart; readonly bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The chart of the digest; `read` gives its files if it is not known. */
  async get(digest: string, read: () => Promise<Record<string, Uint8Array>>, folder: string): Promise<Chart> {
    // Messages name the folder, so the same files in another folder are another chart.
    const key = `${folder}\n${digest}`;
    const known = this.#charts.get(key);
    if (known) {
      this.#charts.delete(key);
      this.#charts.set(key, known);
      return known.chart;
    }
    const files = await read();
    const chart = chartOf(files, folder);
    const bytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
    this.#charts.set(key, { chart, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: size }] of this.#charts) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.#charts.delete(oldest);
      this.#bytes -= size;
    }
    return chart;
  }
}
