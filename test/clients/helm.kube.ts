import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findHelm } from '../../scripts/helm-assets.ts';
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

    test('uninstalls all but hooks', async () => {
      await run('uninstall shop --wait --timeout 90s');
      assert.equal((await run('list -q')).trim(), '');
    });
  });
