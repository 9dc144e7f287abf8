import { type ArchiveEntry, writeArchive } from '@tiphys/registry';
import type { Chart } from '../chart/chart.ts';
import type { ChartFiles } from '../chart/chart-files.ts';
import { IgnoreRules } from '../chart/ignore-rules.ts';
import { loadChart } from '../chart/load-chart.ts';

/** A chart's folder as a package, without what its .helmignore names; the chart is loaded first, so that it is one. */
export function packChart(files: ChartFiles, place: string): { chart: Chart; archive: Buffer } {
  const chart = loadChart(files, { path: place });
  const paths = [...files.list()].sort();
  const rules = new IgnoreRules(
    paths.includes('.helmignore') ? Buffer.from(files.read('.helmignore')).toString('utf8') : '',
  );
  const entries: ArchiveEntry[] = paths
    .filter((path) => !rules.ignores(path))
    .map((path) => ({ name: `${chart.metadata.name}/${path}`, data: files.read(path) }));
  return { chart, archive: writeArchive(entries) };
}
