import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, start } from '../support/tiphys-command.ts';

test('--example rollouts plays a release that is measured, goes wrong and is rolled back', async () => {
  const up = start(['up', '--port', '0', '--example', 'rollouts', '--no-metrics']);
  await up.printed(/All pods have nginx:1\.28 again/);
  assert.match(up.text(), /20 % of the pods are to have nginx:1\.29/);
  assert.match(up.text(), /error-ratio \[0\.003\] ✓/);
  assert.match(up.text(), /error-ratio \[0\.\d+\] ✗/);
  assert.match(up.text(), /✗ RolloutAborted: .*"error-ratio" assessed Failed/);
  const [, kubeconfig = ''] = await up.printed(/Kubeconfig:\s+(\S+)/);
  const shown = await run('rollouts', '--kubeconfig', kubeconfig, '-n', 'rollouts', 'get', 'rollout', 'web');
  assert.match(shown.text, /ScaledDown\s+.*canary/);
  assert.equal(await up.stop(), 0);
});
