import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { Store } from './store.ts';

const writer = `
  const { Store } = await import(process.argv[1]);
  const store = new Store({ dataDir: process.argv[2] });
  const things = store.collection('things');
  for (let i = Number(process.argv[3]); ; i++) {
    for (let j = 0; j < 10; j++) store.put(things, 'k' + j, { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'k' + j }, value: i });
    const { revision } = store;
    await store.durable();
    process.stdout.write(i + ' ' + revision + '\\n');
  }
`;

/** Writes in another process until it has acknowledged `count` rounds, then kills it; the last acknowledged round. */
async function writeAndKill(
  dataDir: string,
  from: number,
  count: number,
): Promise<{ round: number; revision: number }> {
  const store = new URL('./store.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, store, dataDir, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = { round: -1, revision: 0 };
  for await (const line of createInterface({ input: child.stdout })) {
    const [round = 0, revision = 0] = line.split(' ').map(Number);
    last = { round, revision };
    if (round >= from + count) child.kill('SIGKILL');
  }
  return last;
}

describe('A store with a data folder', () => {
  it('keeps every acknowledged write when its process is killed, and never gives a revision twice', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      let from = 0;
      for (const rounds of [3, 17, 40]) {
        const { round, revision } = await writeAndKill(dataDir, from, rounds);
        const store = new Store({ dataDir });
        assert.ok(store.revision >= revision, `${store.revision} continues ${revision}`);
        for (let key = 0; key < 10; key++) {
          const item = store.collection('things').get(`k${key}`);
          assert.ok(Number(item?.object.value) >= round, `k${key} has round ${String(item?.object.value)} of ${round}`);
        }
        store.close();
        from = round + 10;
      }
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('continues revisions after a clean stop and allows watches from the last one', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      const first = new Store({ dataDir });
      const item = first.put(first.collection('things'), 'a', {
        apiVersion: 'v1',
        kind: 'Thing',
        metadata: { name: 'a' },
      });
      first.close();
      const second = new Store({ dataDir });
      const things = second.collection('things');
      assert.equal(things.get('a')?.object.metadata.resourceVersion, String(item.revision));
      assert.deepEqual(things.since(item.revision), []);
      assert.equal(things.since(item.revision - 1), undefined, 'older changes are compacted');
      assert.ok(
        second.put(things, 'b', { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'b' } }).revision > item.revision,
      );
      second.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
