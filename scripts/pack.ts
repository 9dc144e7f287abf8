import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildLibraryPackages } from './library-packages.ts';

/** `npm run pack [PACKAGE]`: tarballs of a package (by default the sandbox) and of those it needs, in `dist/`. */
const target = join(import.meta.dirname, '..', 'dist');
const [name = 'sandbox'] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
const folders = buildLibraryPackages(name, join(target, 'packages'));
const { status, stdout, stderr } = spawnSync('npm', ['pack', '--pack-destination', target, ...folders], {
  encoding: 'utf8',
});
if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
rmSync(join(target, 'packages'), { recursive: true });
const tarballs = stdout
  .trim()
  .split('\n')
  .map((file) => join(target, file));
process.stdout.write(`Install them in a project:\n  npm install ${tarballs.join(' ')}\n`);
