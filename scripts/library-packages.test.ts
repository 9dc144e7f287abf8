import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { buildLibraryPackages } from './library-packages.ts';

const root = join(import.meta.dirname, '..');
const installed = join(root, 'node_modules');
const run = promisify(execFile);

describe('the sandbox as an installed package', () => {
  let project: string;
  before(() => {
    project = mkdtempSync(join(tmpdir(), 'tiphys-project-'));
    const modules = join(project, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(installed))
      if (!name.startsWith('.') && name !== '@tiphys') symlinkSync(join(installed, name), join(modules, name));
    buildLibraryPackages('sandbox', join(modules, '@tiphys'));
    const readme = readFileSync(join(root, 'packages', 'sandbox', 'sandbox', 'README.md'), 'utf8');
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    writeFileSync(join(project, 'package.json'), '{"type": "module"}');
    writeFileSync(join(project, 'operator.test.ts'), example);
    writeFileSync(join(project, 'operator.test.js'), stripTypeScriptTypes(example));
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  test('runs the example of the README as JavaScript', async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await run(process.execPath, ['operator.test.js'], { cwd: project, env });
    assert.match(stdout, /pass 1/);
  });

  test('has the types that the example is checked with', async () => {
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
    const complaints = async (file: string) => {
      const tsc = run(join(installed, '.bin', 'tsc'), [...flags, file], { cwd: project });
      const { stdout } = await tsc.catch((error: { stdout: string }) => error);
      return stdout.split('\n').filter((line) => line.startsWith(file) || line.includes('@tiphys'));
    };
    assert.deepEqual(await complaints('operator.test.ts'), []);
    const wrong = "import { startSandbox } from '@tiphys/sandbox';\nstartSandbox({ nodes: 'x' });\n";
    writeFileSync(join(project, 'wrong.ts'), wrong);
    assert.match((await complaints('wrong.ts')).join(), /wrong\.ts\(2,16\): error TS2322/);
  });

  test('asks for what it needs by version', () => {
    const manifest = JSON.parse(
      readFileSync(join(project, 'node_modules', '@tiphys', 'sandbox', 'package.json'), 'utf8'),
    );
    assert.equal(manifest.private, undefined);
    assert.deepEqual(manifest.exports, { types: './index.d.ts', default: './index.js' });
    assert.match(manifest.dependencies['@tiphys/kubernetes'], /^\d/);
  });

  test('what is no library is refused', () => {
    assert.throws(
      () => buildLibraryPackages('cli', project),
      /The package cli cannot be installed by itself; these can: sandbox/,
    );
  });
});
