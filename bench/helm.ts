import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chart, HelmError, loadChart, localFiles, renderChart } from '@tiphys/helm';
import { findHelm } from '../scripts/helm-assets.ts';

/**
 * Rendering, warm in this process, against `helm template` by fork and against Helm's Go packages warm in one Go
 * process. Charts: the folders given as arguments, test/charts without any.
 */
const root = join(import.meta.dirname, '..');
const folders = (process.argv.length > 2 ? process.argv.slice(2) : [join(root, 'test/charts')]).flatMap(chartsIn);
const rounds = 5;

function chartsIn(folder: string): string[] {
  if (existsSync(join(folder, 'Chart.yaml'))) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'Chart.yaml')))
    .map((entry) => join(folder, entry.name));
}

function milliseconds(body: () => void): number {
  const start = performance.now();
  body();
  return performance.now() - start;
}

function renderOnce(chart: Chart): boolean {
  try {
    renderChart({ chart, values: new Map(), release: { name: 'bench', namespace: 'default' } });
    return true;
  } catch (error) {
    if (error instanceof HelmError) return false;
    throw error;
  }
}

function renderAll(): void {
  for (const { chart } of usable) renderOnce(chart);
}

function forkAll(helm: string): void {
  for (const { folder } of usable) spawnSync(helm, ['template', 'bench', folder]);
}

function loaded(folder: string): Chart | undefined {
  try {
    return loadChart(localFiles(folder));
  } catch (error) {
    if (error instanceof HelmError) return undefined;
    throw error;
  }
}

const charts: { folder: string; chart: Chart }[] = [];
let cold = 0;
const load = milliseconds(() => {
  for (const folder of folders) {
    const chart = loaded(folder);
    if (chart) charts.push({ folder, chart });
  }
});
const usable = charts.filter(({ chart }) => {
  let ok = false;
  cold += milliseconds(() => {
    ok = renderOnce(chart);
  });
  return ok;
});
let warm = Number.POSITIVE_INFINITY;
for (let round = 0; round < rounds; round++) {
  warm = Math.min(
    warm,
    milliseconds(() => renderAll()),
  );
}
const rows: [string, number][] = [
  ['loading from disk', load],
  ['first render (parses templates)', cold],
  ['warm render', warm],
];
const helm = await findHelm(4);
if (helm) {
  rows.push(['helm template, a fork each', milliseconds(() => forkAll(helm))]);
}
const go = goWarm(usable.map(({ folder }) => folder));
if (go !== undefined) rows.push(['Helm’s Go packages, warm in one process', go]);
console.log(`${usable.length} charts; ${Math.round(process.memoryUsage().rss / 1e6)} MB resident`);
for (const [name, total] of rows) {
  const each = total / Math.max(1, usable.length);
  console.log(
    `${name.padEnd(42)} ${total.toFixed(0).padStart(8)} ms  ${each.toFixed(2).padStart(8)} ms a chart  × ${(total / warm).toFixed(1)}`,
  );
}

/** Milliseconds of the best round; undefined without Go. */
function goWarm(paths: readonly string[]): number | undefined {
  if (spawnSync('go', ['version']).status !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-'));
  const binary = join(folder, 'helm-go');
  try {
    execFileSync('go', ['build', '-o', binary, '.'], {
      cwd: join(import.meta.dirname, 'helm-go'),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return Number(
      execFileSync(binary, [String(rounds), ...paths], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
