import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture.ts';
import { command } from './command.ts';
import type { Platform } from './platform.ts';

/** Sources that never run. */
const unused =
  /(^|\/)(testing|testdata|oracle)\/|\.test\.tsx?$|(^|\/)(parity\.ts|vite\.config\.ts|tsconfig\.json|buf[^/]*\.yaml)$|(^|\/)README\.md$|\.proto$/;

const launcher = `#!/usr/local/bin/node
import('/app/packages/serve/cli/main.ts').catch((error) => {
  process.stderr.write(\`\${error.stack}\\n\`);
  process.exitCode = 1;
});
`;

/** Files of the product below `/app` of a folder: sources of a commit, the built page, and the dependencies that run. */
export function writeApp(target: string, { commit, webDist, platform }: AppOptions): void {
  const app = join(target, 'app');
  mkdirSync(app, { recursive: true });
  const paths = ['api', 'packages', 'LICENSE', 'package.json', 'package-lock.json', '.npmrc'];
  command('sh', ['-c', `git archive ${commit} ${paths.join(' ')} | tar -x -C '${app}'`], { cwd: root });
  const web = join(app, 'packages', 'serve', 'web');
  rmSync(web, { recursive: true });
  for (const file of globSync('{api,packages}/**/*', { cwd: app, withFileTypes: true }))
    if (file.isFile() && unused.test(join(file.parentPath, file.name).slice(app.length + 1)))
      rmSync(join(file.parentPath, file.name));
  checkImports(app);
  installDependencies(app, platform);
  mkdirSync(web, { recursive: true });
  command('cp', ['-r', webDist, join(web, 'dist')]);
  const bin = join(target, 'usr', 'local', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'tiphys'), launcher, { mode: 0o755 });
}

export interface AppOptions {
  readonly commit: string;
  /** Folder of the built page. */
  readonly webDist: string;
  readonly platform: Platform;
}

function installDependencies(app: string, { npm }: Platform): void {
  const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'));
  delete manifest.scripts;
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest, undefined, 2));
  const flags = ['--omit=dev', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--silent'];
  command('npm', ['install', ...flags, '--os=linux', `--cpu=${npm}`, '--libc=glibc'], { cwd: app });
  for (const name of ['package-lock.json', '.npmrc', 'node_modules/.package-lock.json', 'node_modules/.bin'])
    rmSync(join(app, name), { recursive: true, force: true });
  for (const file of globSync('node_modules/**/*.{map,md,markdown,flow}', { cwd: app, withFileTypes: true }))
    if (file.isFile() && !/licen[cs]e|notice/i.test(file.name)) rmSync(join(file.parentPath, file.name));
  for (const folder of globSync('node_modules/**/{test,tests,__tests__,docs,example,examples}/', { cwd: app }))
    if (!folder.includes('/dist/')) rmSync(join(app, folder), { recursive: true, force: true });
}

/** Puts the Node of the lock file at `/usr/local/bin/node` of a folder. */
export function writeNode(target: string, { npm }: Platform, scratch: string): void {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'node', 'package.json'), 'utf8'));
  mkdirSync(scratch, { recursive: true });
  const name = `node-linux-${npm}`;
  const archive = command('npm', ['pack', '--silent', `${name}@${version}`], { cwd: scratch }).trim();
  command('tar', ['-xzf', archive], { cwd: scratch });
  const bin = join(target, 'usr', 'local', 'bin');
  mkdirSync(bin, { recursive: true });
  command('cp', [join(scratch, 'package', 'bin', 'node'), join(bin, 'node')]);
  command('chmod', ['755', join(bin, 'node')]);
  const licences = join(target, 'usr', 'local', 'share', 'doc', 'node');
  mkdirSync(licences, { recursive: true });
  command('cp', [join(scratch, 'package', 'LICENSE'), licences]);
}

/** Throws if a file that was left out is imported by one that runs. */
function checkImports(app: string): void {
  const pattern = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+\.ts)['"]/g;
  for (const file of globSync('{api,packages}/**/*.ts', { cwd: app }))
    for (const [, specifier = ''] of readFileSync(join(app, file), 'utf8').matchAll(pattern))
      if (!existsSync(join(app, file, '..', specifier)))
        throw new Error(`${file} imports ${specifier}, which scripts/image/app-files.ts leaves out of the image`);
}
