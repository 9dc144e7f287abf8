import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { DiagnosisError } from '@tiphys/diagnosis';
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

  const thing = (name: string, value = 0) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name }, value });

  it('continues revisions after a clean stop, and watches from before it', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      const first = new Store({ dataDir });
      const things = first.collection('things');
      const begin = first.put(things, 'a', thing('a')).revision;
      first.put(things, 'a', thing('a', 1));
      first.put(things, 'b', thing('b'));
      const last = first.remove(things, 'b')?.revision ?? 0;
      first.close();
      const second = new Store({ dataDir });
      const again = second.collection('things');
      assert.equal(again.get('a')?.object.value, 1);
      assert.deepEqual(
        again.since(begin)?.map(({ type, item, previous }) => [type, item.key, previous?.object.value]),
        [
          ['MODIFIED', 'a', 0],
          ['ADDED', 'b', undefined],
          ['DELETED', 'b', 0],
        ],
      );
      assert.deepEqual(
        again.at(begin)?.map(({ object }) => object.value),
        [0],
      );
      assert.ok(second.put(again, 'b', thing('b')).revision > last);
      second.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('keeps the state whole and the last changes watchable when it forgets older ones', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      const first = new Store({ dataDir, history: 8 });
      const things = first.collection('things');
      const begin = first.put(things, 'old', thing('old')).revision;
      first.put(things, 'gone', thing('gone'));
      first.remove(things, 'gone');
      for (let value = 0; value < 40; value++) first.put(things, `k${value % 3}`, thing('k', value));
      const { revision } = first;
      first.close();
      const second = new Store({ dataDir, history: 8 });
      const again = second.collection('things');
      assert.deepEqual([...again.keys()], ['k0', 'k1', 'k2', 'old']);
      assert.equal(again.since(begin), undefined, 'the oldest changes are compacted');
      assert.deepEqual(
        again.since(revision - 3)?.map(({ type, item, previous }) => [type, item.object.value, previous?.object.value]),
        [
          ['MODIFIED', 37, 34],
          ['MODIFIED', 38, 35],
          ['MODIFIED', 39, 36],
        ],
      );
      second.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('is watched from a version before the kill, and compacts what came back', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      const { round, revision } = await writeAndKill(dataDir, 0, 20);
      const store = new Store({ dataDir, history: 100 });
      const things = store.collection('things');
      const events = things.since(revision - 50) ?? [];
      assert.deepEqual(
        events.slice(0, 50).map((event) => event.revision),
        Array.from({ length: 50 }, (_, index) => revision - 49 + index),
      );
      assert.equal(events[49]?.item.object.value, round);
      const last = things.get('k9')?.object.value;
      for (let value = 0; value < 300; value++) store.put(things, 'k0', thing('k0', value));
      store.close();
      const again = new Store({ dataDir, history: 100 });
      assert.equal(again.collection('things').since(revision), undefined, 'too old by now');
      assert.equal(again.collection('things').get('k0')?.object.value, 299);
      assert.equal(again.collection('things').get('k9')?.object.value, last);
      again.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('refuses a file that is no database, and names it and what to do', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      writeFileSync(join(dataDir, 'sandbox.sqlite'), 'not a database '.repeat(1000));
      assert.throws(
        () => new Store({ dataDir }),
        ({ diagnosis }: DiagnosisError) => {
          assert.equal(diagnosis.code, 'SandboxStateUnreadable');
          assert.match(diagnosis.message, /file is not a database/);
          assert.deepEqual(diagnosis.place, { file: join(dataDir, 'sandbox.sqlite') });
          return diagnosis.remedies.length === 2;
        },
      );
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('says that the disk is full, and stores what is missing once there is room', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'store-'));
    try {
      const store = new Store({ dataDir });
      const things = store.collection('things');
      store.put(things, 'a', thing('a'));
      await store.durable();
      const disk = new DatabaseSync(join(dataDir, 'sandbox.sqlite'));
      disk.exec(
        "CREATE TRIGGER full BEFORE INSERT ON versions BEGIN SELECT raise(ABORT, 'database or disk is full'); END",
      );
      store.put(things, 'b', thing('b'));
      await assert.rejects(store.durable(), ({ diagnosis }: DiagnosisError) => {
        assert.match(diagnosis.message, /disk is full/);
        return diagnosis.code === 'SandboxStateUnwritable';
      });
      disk.exec('DROP TRIGGER full');
      disk.close();
      store.put(things, 'c', thing('c'));
      await store.durable();
      store.close();
      const again = new Store({ dataDir });
      assert.deepEqual([...again.collection('things').keys()], ['a', 'b', 'c']);
      again.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
