/** What the source of one application may take. */
export interface SourceLimits {
  /** Bytes of all manifest files of a directory source; `reposerver.max.combined.directory.manifests.size`. 0: no limit. */
  readonly combinedManifestBytes: number;
  /** Objects of one source. */
  readonly objects: number;
  /** Bytes of source text whose rendered objects are kept in memory. */
  readonly cacheBytes: number;
  /** Bytes of rendered objects that are kept on disk. */
  readonly diskBytes: number;
  /** Milliseconds of one render of a chart. */
  readonly chartTime: number;
  /** Megabytes of heap of a thread that renders charts. */
  readonly chartMemory: number;
  /** Milliseconds after which a thread that has no chart to render ends. */
  readonly chartIdle: number;
  /** Bytes of all files that one plugin is sent. */
  readonly pluginBytes: number;
}

export const defaultLimits: SourceLimits = {
  combinedManifestBytes: 10_000_000,
  objects: 50_000,
  cacheBytes: 256_000_000,
  diskBytes: 1_000_000_000,
  chartTime: 30_000,
  chartMemory: 1_000,
  chartIdle: 120_000,
  pluginBytes: 500_000_000,
};
