import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../testing/start-test-server.ts';

test('a setting that changes nothing is told once, when it is set', async (t) => {
  const told: string[] = [];
  const { configure } = await startTestServer(t, {
    log: (level, message) => void (level === 'warn' && told.push(message)),
  });
  const about = () => told.filter((message) => message.includes('changes nothing'));
  await configure('argocd-cm', { 'timeout.hard.reconciliation': '1h', url: 'https://here.example' });
  assert.equal(about().length, 1);
  assert.match(about()[0] ?? '', /^timeout\.hard\.reconciliation of argocd-cm changes nothing: /);
  await configure('argocd-cm', { url: 'https://there.example' });
  assert.equal(about().length, 1);
  await configure('argocd-cmd-params-cm', { 'server.enable.gzip': 'false' });
  assert.equal(about().length, 2);
});
