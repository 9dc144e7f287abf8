import type { Chart } from '@tiphys/helm';
import { chartOf } from './render-helm.ts';

/** Loaded charts by the digest of their files, least recently used dropped: many applications use one chart. */
export class ChartCache {
  readonly #charts = new Map<string, { readonly chart: Chart; readonly bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The chart of the key, if it is known. */
  get(key: string): Chart | undefined {
    const known = this.#charts.get(key);
    if (!known) return undefined;
    this.#charts.delete(key);
    this.#charts.set(key, known);
    return known.chart;
  }

  /** Loads a chart from its files. Messages name the folder, so it has to be part of the key. */
  add(key: string, files: Readonly<Record<string, Uint8Array>>, folder: string): Chart {
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
