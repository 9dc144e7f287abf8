import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { helmCommand } from '@tiphys/helm';
import { parseDocuments } from '@tiphys/yaml';
import { findHelm } from './helm-assets.ts';

/** Renders the charts of test/charts, and those of the folders given as arguments, by helm and by Tiphys. */
const root = join(import.meta.dirname, '..');
const charts = [join(root, 'test/charts'), ...process.argv.slice(2)].flatMap(chartsIn);
const odd: readonly (readonly string[])[] = [
  [],
  ['--include-crds', '--no-hooks'],
  ['--skip-tests', '--is-upgrade', '-n', 'other', '--kube-version', '1.30', '-a', 'example.com/v1'],
  [
    '--set',
    'a.b[1].c=1,text=x\\,y,list={1,two,null}',
    '--set-string',
    'number=012',
    '--set-json',
    'nested={"a":{"b":{"c":[1,2.5]}}}',
  ],
  ['--set-literal', 'text=a,b[0]', '--set', 'schemaNumber=5', '--set', 'image.tag=null'],
  ['--set', 'a'],
  ['--set', 'a[99999999]=1'],
  ['--no-such-flag'],
  ['-s', 'templates/none.yaml'],
];

interface Result {
  readonly out: string;
  readonly error: string;
  readonly code: number | null;
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const helm4 = await findHelm(4);
const helm3 = await findHelm(3);
if (!helm4) console.log('helm 4 is not here and can not be built without Go: skipped');
for (const chart of charts) {
  for (const args of argumentsFor(chart)) await compare(chart, ['template', 'parity', chart, ...args]);
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;

function chartsIn(folder: string): string[] {
  if (existsSync(join(folder, 'Chart.yaml'))) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'Chart.yaml')))
    .map((entry) => join(folder, entry.name));
}

function argumentsFor(chart: string): string[][] {
  const sets = ['value-sets', 'ci'].flatMap((name) => {
    const folder = join(chart, name);
    return existsSync(folder)
      ? readdirSync(folder)
          .filter((file) => file.endsWith('.yaml'))
          .map((file) => ['-f', join(folder, file)])
      : [];
  });
  return [...odd.map((args) => [...args]), ...sets];
}

async function compare(chart: string, args: readonly string[]): Promise<void> {
  if (!helm4) {
    counts.skipped++;
    return;
  }
  const ours = await render(args);
  const real = fork(helm4, args);
  const name = args
    .join(' ')
    .replaceAll(`${chart}/`, '')
    .replace(chart, chart.slice(chart.lastIndexOf('/') + 1));
  if (!same(real, ours)) return fail(name, real, ours);
  if (helm3 && real.code === 0 && !args.some((arg) => arg === '-s')) {
    const old = fork(helm3, args);
    // Helm 3 does not know what Helm 4 added; where it renders, the objects are the same.
    if (old.code === 0 && objects(old.out) !== objects(ours.out)) return fail(`${name} (helm 3)`, old, ours);
  }
  counts.passed++;
  return undefined;
}

function fail(name: string, real: Result, ours: Result): void {
  counts.failed++;
  const left = (real.code === 0 ? real.out : real.error).split('\n');
  const right = (ours.code === 0 ? ours.out : ours.error).split('\n');
  const line = left.findIndex((text, i) => text !== right[i]);
  console.log(`FAILED ${name}\n  line ${line + 1}\n  helm:   ${left[line]}\n  tiphys: ${right[line]}`);
}

async function render(args: readonly string[]): Promise<Result> {
  let [out, error] = ['', ''];
  const code = await helmCommand(args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    workdir: root,
    env: {},
  });
  return { out, error, code };
}

function fork(program: string, args: readonly string[]): Result {
  const { stdout, stderr, status } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  });
  return { out: stdout, error: stderr, code: status };
}

function same(real: Result, ours: Result): boolean {
  if (real.code !== ours.code || real.out !== ours.out) return false;
  return real.code === 0 || firstError(real.error) === firstError(ours.error);
}

/** Helm's message, without its log lines and without what Tiphys explains below it. */
function firstError(text: string): string {
  const lines = text.split('\n').filter((line) => !line.startsWith('level='));
  return lines.join('\n').trim().split('\n\n')[0] ?? '';
}

/** Helm versions show up in the output themselves. */
function objects(text: string): string {
  return JSON.stringify(parseDocuments(text).documents.map(({ value }) => value)).replace(
    /v[34]\.\d+(\.\d+)?|v1\.3\d(\.\d+)?|"Minor":"\d+"|\b3\d\b/g,
    'V',
  );
}
