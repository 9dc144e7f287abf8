import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skip } from '../test/cluster/real-cluster.ts';
import { root } from './architecture.ts';
import { command } from './image/command.ts';
import { runTests } from './run-tests.ts';

/**
 * The installed image on a node with real containers, which it brings up and takes down again. The image is made first, since that
 * needs the network; all else runs in a network of its own, so that nothing else on the machine is in its way.
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
  if (skip) {
    process.stdout.write(`Tests on a node with containers are skipped: ${skip}\n0 passed, 0 failed, 1 skipped\n`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-image-test-'));
  try {
    process.stdout.write('The image …\n');
    const image = join(folder, 'tiphys.tar');
    const flags = ['--platform', 'linux/amd64', '--name', 'docker.io/tiphys/tiphys:0.1.0', '--allow-dirty'];
    command(process.execPath, [join(root, 'scripts', 'image.ts'), ...flags, '--out', image], { cwd: root });
    const inside = ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.execArgv];
    const { status } = spawnSync('unshare', [...inside, import.meta.filename, ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, TIPHYS_CLUSTER_IMAGE: image },
    });
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
