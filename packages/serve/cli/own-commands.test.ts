import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatKubeconfig } from '@tiphys/kubernetes';
import { runOwnCommands } from './own-commands.ts';

test('what a verb refuses is said in one line, with the exit code of wrong usage', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-own-commands-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, formatKubeconfig({ server: 'https://127.0.0.1:1', name: 'none' }));
    const errors: string[] = [];
    const code = await runOwnCommands(['workflows', 'delete', '--kubeconfig', kubeconfig], {
      output: { out: () => undefined, error: (text) => void errors.push(text), colours: false },
      env: {},
      workdir: folder,
      signal: new AbortController().signal,
      askPassword: async () => undefined,
    });
    assert.deepEqual(errors, ['error: Name workflows, or choose them with --selector, --completed or --all']);
    assert.equal(code, 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a kubeconfig that is not there is named, with what to do', async () => {
  const errors: string[] = [];
  const code = await runOwnCommands(['workflows', 'get', 'one'], {
    output: { out: () => undefined, error: (text) => void errors.push(text), colours: false },
    env: { KUBECONFIG: '/none/config' },
    workdir: tmpdir(),
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  });
  assert.notEqual(code, 0);
  assert.match(
    errors.join('\n'),
    /\/none\/config[\s\S]*Name an existing file by --kubeconfig or the variable KUBECONFIG/,
  );
  assert.doesNotMatch(errors.join('\n'), /Internal error/);
});

test('--request-timeout ends a request that the API server does not answer, and says who did not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-own-commands-'));
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, formatKubeconfig({ server: `http://${host}`, name: 'silent' }));
    const errors: string[] = [];
    const run = (limit: string) =>
      runOwnCommands(['rollouts', 'abort', 'web', '--request-timeout', limit, '--kubeconfig', kubeconfig], {
        output: { out: () => undefined, error: (text) => void errors.push(text), colours: false },
        env: {},
        workdir: folder,
        signal: new AbortController().signal,
        askPassword: async () => undefined,
      });
    assert.equal(await run('200ms'), 1);
    assert.match(errors.join('\n'), new RegExp(`No answer from the API server at ${host} in time`));
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('lint reads standard input', () => {
  const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web' }, spec: {} };
  const main = join(import.meta.dirname, 'main.ts');
  const options = { input: JSON.stringify(rollout), encoding: 'utf8' } as const;
  const lint = (file: string) => spawnSync(process.execPath, [main, 'rollouts', 'lint', '-f', file], options);
  assert.match(lint('-').stderr, /spec\.selector: Required value/);
  assert.match(lint('https://example.com/a.yaml').stderr, /curl -L https:\/\/example\.com\/a\.yaml/);
});
