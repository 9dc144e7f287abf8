import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoNode } from '../test/cluster/why-no-node.ts';
import { root } from './architecture.ts';
import { findHelm } from './assets/helm-assets.ts';
import { installNodePackages, nodeAssets } from './assets/node-assets.ts';
import { command } from './image/command.ts';
import { notServed } from './image/debian-base.ts';
import { runTests } from './testing/run-tests.ts';

const say = (message: string) => void process.stdout.write(`${message}\n`);

/**
 * The installed image on a node with real containers, which it brings up and takes down again. The image is made first, since that
 * needs the network; all else runs in a network of its own, so that nothing else on the machine is in its way. `--short` leaves out
 * what the gate has no time for.
 */
async function main(): Promise<number> {
  if (process.env.TIPHYS_CLUSTER_IMAGE) {
    const ok = await runTests({
      title: 'Tests on a node with containers',
      include: ['test/cluster/**/*.cluster.ts'],
      concurrency: 1,
    });
    return ok ? 0 : 1;
  }
  installNodePackages(say);
  const reason = whyNoNode();
  if (reason) {
    say(`Tests on a node with containers are skipped: ${reason}\n0 passed, 0 failed, 1 skipped`);
    return 0;
  }
  const binaries = await nodeAssets(say);
  const helm = process.argv.includes('--short') ? undefined : await findHelm(4);
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-image-test-'));
  try {
    const image = join(folder, 'tiphys.tar');
    makeImage(image);
    const inside = ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.execArgv];
    const { status } = spawnSync('unshare', [...inside, import.meta.filename, ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: {
        ...process.env,
        TIPHYS_CLUSTER_IMAGE: image,
        RC_BIN: binaries,
        ...(helm ? { TIPHYS_HELM: helm } : {}),
        ...(process.argv.includes('--short') ? { TIPHYS_CLUSTER_SHORT: '1' } : {}),
      },
    });
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The image of the last commit. A package that Debian has replaced since it was pinned must not keep the tests from running. */
function makeImage(file: string): void {
  say('The image …');
  const flags = [
    '--platform',
    'linux/amd64',
    '--name',
    'docker.io/tiphys/tiphys:0.1.0',
    '--allow-dirty',
    '--out',
    file,
  ];
  const make = (...more: string[]) =>
    command(process.execPath, [join(root, 'scripts', 'image.ts'), ...flags, ...more], { cwd: root });
  try {
    make();
  } catch (error) {
    const { message } = error as Error;
    const line = message.split('\n').find((each) => each.includes(notServed));
    if (!line) throw error;
    say(`${line.trim()}\nThe image is made with what it serves now`);
    make('--newest-base');
  }
}

process.exitCode = await main();
