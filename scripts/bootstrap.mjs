#!/usr/bin/env node
// Plain JavaScript for any Node ≥ 20: installs what the checkout lacks, then hands over to the Node that the project pins.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

function fail(message) {
  process.stderr.write(`tiphys: ${message}\n`);
  process.exit(1);
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (result.error) fail(`cannot run ${command}: ${result.error.message}. Install it and try again.`);
  return result.status === 0;
}

/** npm leaves this file behind; it is older than the lock file when a pull changed the dependencies. */
function installed() {
  const marker = join(root, 'node_modules', '.package-lock.json');
  return existsSync(marker) && statSync(marker).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

if (Number(process.versions.node.split('.')[0]) < 20)
  fail(`Node ${process.versions.node} is too old: 20 or newer is needed.`);
if (!installed()) {
  process.stderr.write('tiphys: installing dependencies (once, about a minute) …\n');
  // Not `npm ci`: it removes what is installed first, and with it the modules of a process that runs from this folder.
  // No scripts of packages: the one that is needed is run below; others build what this Node cannot load, which takes half a minute.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  if (!run('npm', ['install', ...flags])) {
    fail(
      'npm install failed; its own message is above. Check the network or the npm registry settings, then run the command again.',
    );
  }
}
if (!existsSync(pinnedNode)) {
  // the runtime is fetched by an install script
  if (
    !run(process.execPath, [join(root, 'node_modules', 'node', 'installArchSpecificPackage.js')]) ||
    !existsSync(pinnedNode)
  ) {
    const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;
    fail(`the pinned runtime (npm package node ${wanted}) is missing. Run: npm install --foreground-scripts node`);
  }
}

const [first, ...rest] = process.argv.slice(2);
const target =
  first === '--script' ? rest : [join('packages', 'serve', 'cli', 'main.ts'), ...(first ? [first] : []), ...rest];
const child = spawn(
  pinnedNode,
  // Young objects get as much room as in Node 20, and garbage 60 % of what lives: what is not given back is half of an idle process.
  [
    '--disable-warning=ExperimentalWarning',
    '--max-semi-space-size=16',
    '--heap-growing-percent=60',
    ...target.map((part, i) => (i === 0 ? join(root, part) : part)),
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, TIPHYS_WORKDIR: process.env.INIT_CWD ?? process.cwd() },
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 128 + (signal === 'SIGINT' ? 2 : 15) : (code ?? 1)));
