import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Store } from './store.ts';

const thing = (name: string, value: number) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name }, value });

describe('A collection', () => {
  it('shows its objects as they were at an older revision', () => {
    const store = new Store();
    const things = store.collection('things');
    const first = store.put(things, 'a', thing('a', 1)).revision;
    store.put(things, 'b', thing('b', 1));
    store.put(things, 'a', thing('a', 2));
    store.remove(things, 'b');
    const values = (revision: number) => things.at(revision)?.map(({ key, object }) => `${key}${String(object.value)}`);
    assert.deepEqual(values(first), ['a1']);
    assert.deepEqual(values(first + 1), ['a1', 'b1']);
    assert.deepEqual(values(first + 2), ['a2', 'b1']);
    assert.deepEqual(values(first + 3), ['a2']);
  });

  it('keeps keys in byte order whatever the order of writes', () => {
    const store = new Store();
    const things = store.collection('things');
    for (const key of ['b', 'a/z', 'a-z', 'c', 'aa']) store.put(things, key, thing(key, 0));
    store.remove(things, 'c');
    assert.deepEqual(things.keys(), ['a-z', 'a/z', 'aa', 'b']);
  });

  it('wakes a watcher once and gives it all changes since its revision', () => {
    const store = new Store();
    const things = store.collection('things');
    const start = store.revision;
    let woken = 0;
    things.onNextChange(() => {
      woken += 1;
    });
    store.put(things, 'a', thing('a', 1));
    store.put(things, 'a', thing('a', 2));
    assert.equal(woken, 1);
    assert.deepEqual(
      things.since(start)?.map(({ type }) => type),
      ['ADDED', 'MODIFIED'],
    );
  });

  it('refuses revisions that were compacted', () => {
    const store = new Store({ history: 4 });
    const things = store.collection('things');
    const start = store.revision;
    for (let value = 0; value < 20; value++) store.put(things, 'a', thing('a', value));
    assert.equal(things.since(start), undefined);
    assert.equal(things.at(start), undefined);
    assert.deepEqual(things.since(store.revision), []);
  });

  it('forgets the oldest changes where they are long, and keeps the last ones all the same', () => {
    const store = new Store();
    const things = store.collection('things');
    const start = store.revision;
    const long = (value: number) => ({ ...thing('a', value), text: 'x'.repeat(1024 * 1024) });
    for (let value = 0; value < 200; value++) store.put(things, 'a', long(value));
    assert.equal(things.since(start), undefined);
    assert.ok(things.weight < 70 * 1024 * 1024);
    assert.ok((things.since(store.revision - 40)?.length ?? 0) === 40);
  });

  it('refuses an object that etcd would not take, and counts what it is without escapes', () => {
    const store = new Store();
    const things = store.collection('things');
    const put = (text: string) => store.put(things, 'a', { ...thing('a', 1), text });
    assert.throws(() => put('x'.repeat(1_600_000)), /^Error: etcdserver: request is too large$/);
    put('\n'.repeat(1_000_000));
    assert.equal(things.size, 1);
  });
});
