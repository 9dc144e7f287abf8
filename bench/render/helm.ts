import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Chart, HelmError, loadChart, localFiles, renderChart } from '@tiphys/helm';
import { findHelm } from '../../scripts/assets/helm-assets.ts';
import { markdownTable, mebibytes, median, ratio } from '../table.ts';
import { benchCharts } from './bench-charts.ts';

const rounds = 5;
const forkRounds = 1;
const release = { name: 'bench', namespace: 'default' };
const main = join(import.meta.dirname, '..', '..', 'packages', 'serve', 'cli', 'main.ts');

interface Loaded {
  readonly folder: string;
  readonly chart: Chart;
}

/**
 * Rendering charts in this process, cold and warm, against `helm template` by fork and against Helm's Go packages warm in
 * one Go process. Both load a chart once and render it again and again; Helm's packages parse its templates each time,
 * because they have no other way, and ours keep what they parsed. Rounds of both take turns.
 */
export async function benchHelm(folders: readonly string[]): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-bench-'));
  try {
    return await measure(benchCharts(folders, scratch), scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function measure(folders: readonly string[], scratch: string): Promise<string> {
  const before = residentAfterCollection();
  const charts: Loaded[] = [];
  const loading = milliseconds(() => charts.push(...folders.flatMap(load)));
  let usable: Loaded[] = [];
  const first = milliseconds(() => {
    usable = charts.filter(({ chart }) => renders(chart));
  });
  const go = buildGo(scratch);
  const paths = usable.map(({ folder }) => folder);
  const warm: number[] = [];
  const goWarm: GoAnswer[] = [];
  for (let round = 0; round < rounds; round++) {
    warm.push(
      milliseconds(() => {
        for (const { chart } of usable) renders(chart);
      }),
    );
    if (go) goWarm.push(askGo(go, paths));
  }
  const memory = residentAfterCollection();
  const helm = await findHelm(4);
  const forks = helm ? Array.from({ length: forkRounds }, () => forkAll([helm], paths)) : [];
  const sample = paths.slice(0, 5);
  const ours = Array.from({ length: forkRounds }, () => forkAll([process.execPath, main, 'helm'], sample));

  const own = Math.min(...warm);
  const each = (total: number, count = usable.length): string => `${(total / Math.max(1, count)).toFixed(2)} ms`;
  const row = (name: string, times: readonly number[], resident = '', count = usable.length): string[] => [
    name,
    each(Math.min(...times), count),
    each(median(times), count),
    ratio(Math.min(...times) / Math.max(1, count) / (own / Math.max(1, usable.length))),
    resident,
  ];
  const rows = [
    row('warm, in process', warm, `${mebibytes(memory)} (${mebibytes(before)} before the first chart)`),
    row('first render in a process: parses and compiles', [first]),
    row('loading from disk', [loading]),
    ...(goWarm.length > 0
      ? [
          row(
            'Helm’s Go packages, warm, in one process',
            goWarm.map(({ time }) => time),
            mebibytes(Math.max(...goWarm.map(({ resident }) => resident))),
          ),
        ]
      : []),
    ...(forks.length > 0 ? [row('helm template, a process for each', forks)] : []),
    row('tiphys helm template, a process for each', ours, '', sample.length),
  ];
  return `${usable.length} charts\n\n${markdownTable(['a chart', 'best', 'median', 'of warm', 'resident'], rows)}`;
}

function load(folder: string): Loaded[] {
  try {
    return [{ folder, chart: loadChart(localFiles(folder)) }];
  } catch (error) {
    if (error instanceof HelmError) return [];
    throw error;
  }
}

function renders(chart: Chart): boolean {
  try {
    renderChart({ chart, values: new Map(), release });
    return true;
  } catch (error) {
    if (error instanceof HelmError) return false;
    throw error;
  }
}

function milliseconds(body: () => void): number {
  const start = performance.now();
  body();
  return performance.now() - start;
}

function residentAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().rss;
}

function forkAll([program, ...args]: readonly string[], folders: readonly string[]): number {
  return milliseconds(() => {
    for (const folder of folders) spawnSync(program as string, [...args, 'template', release.name, folder]);
  });
}

interface GoAnswer {
  readonly time: number;
  readonly resident: number;
}

/** Undefined without Go. */
function buildGo(scratch: string): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return undefined;
  const binary = join(scratch, 'helm-go');
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: join(import.meta.dirname, 'helm-go'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return binary;
}

/** The second of two rounds: the first warms up. */
function askGo(binary: string, paths: readonly string[]): GoAnswer {
  const answer = execFileSync(binary, ['2', ...paths], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [time = Number.NaN, resident = Number.NaN] = answer.split(' ').map(Number);
  return { time, resident };
}
