/** Where a chart is read from: a folder on disk, a tree of a git commit, an archive. */
export interface ChartFiles {
  /** Paths of all regular files below the chart's folder, with `/`. */
  list(): readonly string[];
  /** The bytes of a listed file. Throws if it can't be read. */
  read(path: string): Uint8Array;
}

export interface ChartLimits {
  /** Bytes of all files together, subcharts unpacked: Helm's own limit if not given. */
  readonly size: number;
  readonly files: number;
  /** Charts inside charts. */
  readonly depth: number;
}

export const defaultChartLimits: ChartLimits = { size: 100 * 1024 * 1024, files: 20_000, depth: 20 };

/** Chart files that are in memory already. */
export function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>): ChartFiles {
  return {
    list: () => Object.keys(files),
    read(path) {
      const data = files[path];
      if (data === undefined) throw new Error(`open ${path}: no such file or directory`);
      return typeof data === 'string' ? Buffer.from(data) : data;
    },
  };
}
