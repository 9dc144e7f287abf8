import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
