import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ManualClock } from './manual-clock.ts';
import { startSandbox } from './sandbox.ts';

test('the example of the README passes as it stands there', async () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', example];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
    timeout: 120_000,
    env,
  });
  assert.match(stdout, /pass 1/);
});

test('an audit log in a file is closed with the sandbox, whatever is cut off then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-audit-'));
  try {
    const log = join(folder, 'audit.log');
    const cluster = await startSandbox({ audit: { log } });
    const authorization = `Bearer ${cluster.config.bearerToken}`;
    const watch = await fetch(`${cluster.url}/api/v1/pods?watch=1`, { headers: { authorization } });
    await cluster.close();
    await watch.text().catch(() => undefined);
    assert.match(readFileSync(log, 'utf8'), /"requestURI":"\/api\/v1\/pods\?watch=1"/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a manual clock wakes sleepers in the order of their times, each at its own', async () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  const start = clock.now();
  const woken: number[] = [];
  const everyMinute = async () => {
    for (let turn = 0; turn < 3; turn++) {
      await clock.sleep(60_000);
      woken.push(clock.now() - start);
    }
  };
  const done = Promise.all([everyMinute(), clock.sleep(90_000).then(() => woken.push(90_000.5))]);
  await clock.advance(300_000);
  await done;
  assert.deepEqual(woken, [60_000, 90_000.5, 120_000, 180_000]);
  assert.equal(clock.now() - start, 300_000);
});
