import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ObjectReader } from './object-reader.ts';

test('git ends when nobody asks for a while, and begins again with the next question', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-reader-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('git', ['init', '--quiet', '--bare', folder]);
  const oid = execFileSync('git', ['--git-dir', folder, 'hash-object', '-w', '--stdin'], { input: 'a' })
    .toString()
    .trim();
  const reader = new ObjectReader(folder, { PATH: process.env['PATH'] ?? '' }, 1);
  t.after(() => reader.close());
  assert.ok(!reader.alive);
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await reader.info(oid), { oid, type: 'blob', size: 1 });
    while (reader.alive) await setImmediate();
  }
  const answers = await Promise.all(Array.from({ length: 50 }, () => reader.contents(oid)));
  assert.ok(answers.every((answer) => answer?.content.toString() === 'a'));
});
