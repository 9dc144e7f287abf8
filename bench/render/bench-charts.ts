import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeGeneratedCharts } from './generated-charts.ts';

const root = join(import.meta.dirname, '..', '..');

/** Go modules that hold public charts: anyone who has Go can have these. */
const modules = ['sigs.k8s.io/kwok@v0.7.0', 'sigs.k8s.io/external-dns@v0.19.0', 'sigs.k8s.io/kueue@v0.14.0'];
const generated = 100;

/** Folders of charts: those below the given folders, or one of the project, public ones that Go can fetch, and generated ones. */
export function benchCharts(given: readonly string[], scratch: string): string[] {
  if (given.length > 0) return given.flatMap(chartsIn);
  return [join(root, 'test/charts/family'), ...publicCharts(), ...writeGeneratedCharts(scratch, generated)];
}

function chartsIn(folder: string): string[] {
  if (existsSync(join(folder, 'Chart.yaml'))) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap((entry) => chartsIn(join(folder, entry.name)));
}

function publicCharts(): string[] {
  return modules.flatMap((module) => {
    const answer = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' });
    if (answer.status !== 0) return [];
    const { Dir: folder } = JSON.parse(answer.stdout) as { Dir: string };
    return globSync('charts/*/Chart.yaml', { cwd: folder }).map((path) => join(folder, path, '..'));
  });
}
