import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findHelm } from '../../scripts/assets/helm-assets.ts';
import { runProgram } from './program.ts';
import { type Server, servers } from './servers.ts';

const helm = await findHelm(4);
const skip = helm ? false : 'there is no helm and no Go to build it: set TIPHYS_HELM';

for (const [name, start] of Object.entries(servers))
  describe(`helm on ${name}`, { skip }, () => {
    const namespace = `helm-${process.pid}`;
    let server: Server;
    let folder: string;
    before(async () => {
      server = await start();
      folder = mkdtempSync(join(tmpdir(), 'tiphys-helm-'));
      cpSync(join(import.meta.dirname, 'chart'), join(folder, 'chart'), { recursive: true });
    });
    after(async () => {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    });

    const attempt = (line: string) =>
      runProgram(helm ?? 'helm', [...line.split(' '), '--namespace', namespace], {
        cwd: folder,
        env: { KUBECONFIG: server.file, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder },
      });
    const run = async (line: string) => {
      const { code, stdout, stderr } = await attempt(line);
      assert.equal(code, 0, `helm ${line}: ${stdout}${stderr}`);
      return stdout;
    };
    const resources = async () =>
      JSON.parse(await run('get metadata shop -o json')) as { revision: number; status: string };

    test('installs with a hook, and waits until all is ready', async () => {
      const printed = await run('install shop chart --create-namespace --wait --timeout 90s');
      assert.match(printed, /STATUS: deployed/);
      assert.match(await run('get hooks shop'), /kind: Job/);
    });

    test('upgrades with --wait', async () => {
      await run('upgrade shop chart --set image=nginx:2 --wait --timeout 90s');
      assert.equal((await resources()).revision, 2);
    });

    test('fails an upgrade whose hook fails, and tells why', async () => {
      const { code, stderr } = await attempt('upgrade shop chart --set fail=true --timeout 60s');
      assert.equal(code, 1);
      assert.match(stderr, /pre-upgrade hooks failed/);
      assert.match(await run('status shop'), /STATUS: failed/);
    });

    test('rolls back, runs the tests of the chart, and shows their logs', async () => {
      await run('rollback shop 1 --wait --timeout 90s');
      const printed = await run('test shop --logs --timeout 60s');
      assert.match(printed, /tested/);
    });

    test('takes an upgrade back that does not become ready', async () => {
      const before = await resources();
      const line = 'upgrade --install shop chart --set image=example.invalid/none:1 --rollback-on-failure --timeout 8s';
      const { code, stderr } = await attempt(line);
      assert.equal(code, 1);
      assert.match(stderr, /UPGRADE FAILED: release shop failed, and has been rolled back due to rollback-on-failure/);
      const now = await resources();
      assert.deepEqual([now.revision, now.status], [before.revision + 2, 'deployed']);
      const history = JSON.parse(await run('history shop -o json')) as { status: string; description: string }[];
      assert.deepEqual(
        history.slice(-2).map(({ status }) => status),
        ['failed', 'deployed'],
      );
    });

    test('installs by upgrade --install, and upgrades with server-side apply what it installed', async () => {
      assert.match(
        await run('upgrade --install second chart --wait --timeout 60s'),
        /has been upgraded|does not exist/,
      );
      await run('upgrade --install second chart --server-side=true --set image=nginx:3 --wait --timeout 60s');
      assert.match(await run('get manifest second'), /nginx:3/);
      await run('uninstall second --wait --timeout 60s');
    });

    test('uninstalls all but hooks', async () => {
      await run('uninstall shop --wait --timeout 90s');
      assert.equal((await run('list -q')).trim(), '');
    });
  });
