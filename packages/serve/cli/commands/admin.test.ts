import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { runOwnCommands } from '../own-commands.ts';

test('the first password is printed, and where it is gone it is told what to do', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-admin-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, sandbox.kubeconfig);
  const run = async () => {
    const out: string[] = [];
    const errors: string[] = [];
    const code = await runOwnCommands(['admin', 'initial-password', '-n', 'cd', '--kubeconfig', kubeconfig], {
      output: { out: (text) => void out.push(text), error: (text) => void errors.push(text), colours: false },
      env: {},
      workdir: folder,
      signal: new AbortController().signal,
      askPassword: async () => undefined,
    });
    return { code, out, errors: errors.join('\n') };
  };
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'admin' } });
  t.after(() => client.close());
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cd' } });
  const missing = await run();
  assert.notEqual(missing.code, 0);
  assert.match(missing.errors, /There is no Secret argocd-initial-admin-secret in namespace cd[\s\S]*with -n/);
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'argocd-initial-admin-secret', namespace: 'cd' },
    stringData: { password: 'first-one' },
  });
  assert.deepEqual(await run().then(({ code, out }) => [code, out]), [0, ['first-one']]);
});
