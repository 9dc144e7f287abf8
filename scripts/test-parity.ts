import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseDocuments, YamlError } from '@tiphys/yaml';
import { findHelm } from './assets/helm-assets.ts';
import { CaseFolder } from './parity/case-folder.ts';
import { chartCases, templateArguments } from './parity/chart-cases.ts';
import { type Goldens, withoutRoot, writeGoldens } from './parity/goldens.ts';
import { compareKustomize } from './parity/kustomize.ts';
import { ParityRun } from './parity/parity-run.ts';
import { compareRandom } from './parity/random-phases.ts';
import { type Printed, renderByHelm } from './parity/rendering.ts';

/**
 * Renders by helm and by Tiphys: the charts of test/charts and of the folders given as arguments, random templates, values,
 * charts and flags; and asks Go's text/template and Sprig what they make of the table of packages/foundation/template. Builds by kustomize and by Tiphys: test/kustomizations and random ones.
 * `--seed N` repeats a random run, `--scale X` makes it longer, `--record` writes what helm printed to test/.
 */
const root = join(import.meta.dirname, '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    scale: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
  },
});
const counts = { passed: 0, failed: 0, skipped: 0 };
const add = (more: typeof counts): void => {
  for (const name of ['passed', 'failed', 'skipped'] as const) counts[name] += more[name];
};

const helm4 = await findHelm(4);
const helm3 = await findHelm(3);
if (helm4) await compareWithHelm(helm4);
else {
  counts.skipped++;
  console.log('helm 4 is not here and can not be built without Go: skipped');
}
compareWithGo();
add(
  await compareKustomize({
    seed: Number(options.seed),
    scale: Number(options.scale),
    record: options.record,
  }),
);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function compareWithHelm(helm: string): Promise<void> {
  const folder = new CaseFolder();
  const run = new ParityRun(helm, folder.path);
  try {
    await compareCharts(run, folder);
    if (options.record) return;
    console.log(`random cases from seed ${options.seed} (repeat with --seed ${options.seed})`);
    await compareRandom(run, folder, Number(options.seed), Number(options.scale));
  } finally {
    folder.remove();
    add(run.counts);
  }
}

async function compareCharts(run: ParityRun, folder: CaseFolder): Promise<void> {
  const goldens: Goldens = {};
  for (const place of [join(root, 'test/charts'), ...positionals]) {
    for (const { name, path, flags } of chartCases(place)) {
      const recorded: Record<string, Printed> = {};
      const isNew = existsSync(join(path, 'not-helm-3.txt'));
      for (const list of flags) {
        const args = templateArguments(path, list);
        const { real, ours } = await run.compare({ name: `${name} ${list.join(' ')}`, args });
        recorded[list.join(' ')] = withoutRoot(real, root);
        if (helm3 && real.code === 0 && (list.length === 0 || list[0] === '-f') && !isNew)
          await compareObjects(run, helm3, name, args, ours, folder);
      }
      if (place === join(root, 'test/charts')) goldens[name] = recorded;
    }
  }
  if (options.record) writeGoldens(goldens);
}

/**
 * Helm 3 does not know what Helm 4 added; where it renders, the objects are the same, but for charts whose
 * `not-helm-3.txt` says what Helm changed.
 */
async function compareObjects(
  run: ParityRun,
  helm: string,
  name: string,
  args: readonly string[],
  ours: Printed,
  folder: CaseFolder,
): Promise<void> {
  const old = await renderByHelm(helm, args, folder.path);
  if (old.code === 0 && objects(old.out) !== objects(ours.out))
    run.fail(`${name} (helm 3)`, `  helm:   ${objects(old.out)}\n  tiphys: ${objects(ours.out)}`);
}

/** Helm versions show up in the output themselves. */
function objects(text: string): string {
  const decoded = Buffer.from(text, 'latin1').toString();
  return JSON.stringify(documentsOf(decoded)).replace(/v[34]\.\d+(\.\d+)?|v1\.3\d(\.\d+)?|"Minor":"\d+"|\b3\d\b/g, 'V');
}

/** Some charts print what is no YAML: then the lines count, without the spaces at their ends. */
function documentsOf(text: string): unknown {
  try {
    return parseDocuments(text).documents.map(({ value }) => value);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return text.split(/\s*\n\s*/).filter((line) => line !== '');
  }
}

/** The comparison of packages/foundation/template is a test file, which needs Go. */
function compareWithGo(): void {
  if (options.record) return;
  if (spawnSync('go', ['version']).status !== 0) {
    counts.skipped++;
    console.log('Go is not here: the functions are not compared with Go');
    return;
  }
  const { stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=tap', join(root, 'packages/foundation/template/parity.ts')],
    { encoding: 'utf8', env: { ...process.env, PARITY_SEED: options.seed } },
  );
  const number = (what: string): number => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
  add({ passed: number('pass'), failed: number('fail'), skipped: number('skipped') });
  if (number('fail') > 0 || number('pass') === 0) console.log(stdout);
  if (number('pass') + number('fail') === 0) counts.failed++;
}
