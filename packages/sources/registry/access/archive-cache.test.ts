import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ArchiveCache, sha256 } from './archive-cache.ts';

test('the packages that were not used for longest go when there is too much', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-archive-cache-'));
  try {
    const cache = new ArchiveCache(folder, { maxBytes: 2500 });
    const packages = ['a', 'b', 'c', 'd'].map((letter) => Buffer.alloc(1000, letter));
    for (const [age, data] of packages.entries()) {
      await cache.put(sha256(data), data);
      const at = new Date(Date.UTC(2026, 0, 1 + age));
      await utimes(cache.path(sha256(data)), at, at).catch(() => undefined);
    }
    const kept = await Promise.all(packages.map(async (data) => (await cache.get(sha256(data))) !== undefined));
    assert.deepEqual(kept, [false, false, true, true]);
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\./.test(name));
    assert.ok(
      names.every((name) => /^[0-9a-f]{2}\/[0-9a-f]{64}\.chart$/.test(name)),
      names.join(),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
