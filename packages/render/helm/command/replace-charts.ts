import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadArchive } from '../chart/load-chart.ts';
import type { LockedDependency } from '../dependency/chart-lock.ts';
import { helmMessageOf } from '../problems/helm-error.ts';

export interface ReplaceOptions {
  /** The folder charts/. */
  readonly charts: string;
  /** The chart's folder as it was given, for messages. */
  readonly chartPath: string;
  readonly out: (text: string) => void;
}

/** Puts packages that are charts into charts/; packages of charts that are not wanted any more are taken away. */
export function replaceCharts(
  dependencies: readonly LockedDependency[],
  fetched: ReadonlyMap<string, Buffer>,
  { charts, chartPath, out }: ReplaceOptions,
): void {
  const before = readdirSync(charts, { withFileTypes: true });
  const local = new Set(dependencies.filter(({ repository }) => repository === '').map(({ name }) => name));
  for (const [file, archive] of fetched) {
    try {
      loadArchive(archive);
    } catch (error) {
      out(`Could not verify ${join(chartPath, file)} for moving: ${helmMessageOf(error)} (Skipping)`);
      continue;
    }
    const draft = join(charts, `.${file}.${process.pid}.tmp`);
    writeFileSync(draft, archive);
    renameSync(draft, join(charts, file));
  }
  out('Deleting outdated charts\n');
  for (const entry of before) {
    if (entry.isDirectory() || fetched.has(entry.name)) continue;
    const shown = join(chartPath, 'charts', entry.name);
    try {
      const { name } = loadArchive(readFileSync(join(charts, entry.name))).metadata;
      if (!local.has(name)) rmSync(join(charts, entry.name));
    } catch (error) {
      out(`Could not verify ${shown} for deletion: ${helmMessageOf(error)} (Skipping)\n`);
    }
  }
}
