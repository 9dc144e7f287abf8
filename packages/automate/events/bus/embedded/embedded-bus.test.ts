import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { busContract, duplicateContract } from '../testing/contract.ts';
import { killContract } from '../testing/kill-contract.ts';
import { EmbeddedBus } from './embedded-bus.ts';
import { EventLog } from './event-log.ts';

const onError = (error: unknown) => assert.fail(String(error));

describe('the embedded bus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bus-'));
  const log = new EventLog(join(folder, 'events.sqlite'), { now: () => Date.now(), onError });
  after(() => {
    log.close();
    rmSync(folder, { recursive: true });
  });
  const under = () => ({ open: async () => new EmbeddedBus(log, 'ns/default', systemClock) });
  busContract(under);
  duplicateContract(under);
  killContract(() => ({ config: { embedded: {} }, file: join(folder, 'killed.sqlite') }));

  it('keeps what was committed when the file is opened again', async () => {
    const file = join(folder, 'again.sqlite');
    const before = new EventLog(file, { now: () => 1000, onError });
    await before.register('b', 'd', 's');
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => before.append('b', 's', { id: String(i), body: String(i) })),
    );
    before.acknowledge('b', 'd', 40);
    before.close();
    const reopened = new EventLog(file, { now: () => 1000, onError });
    assert.deepEqual(
      reopened.read('b', 's', { after: reopened.place('b', 'd'), most: 2 }).map(({ body }) => body),
      ['40', '41'],
    );
    assert.deepEqual(
      reopened.last('b', 2).map(({ body }) => body),
      ['98', '99'],
    );
    reopened.close();
  });

  it('keeps places and state that could not be written until they can be, together', async () => {
    const file = join(folder, 'locked.sqlite');
    const errors: unknown[] = [];
    const log = new EventLog(file, { now: () => 1000, onError: (error) => errors.push(error) });
    await log.register('b', 'd', 's');
    await log.append('b', 's', { id: '1', body: '1' });
    const other = new DatabaseSync(file);
    other.exec("CREATE TRIGGER full BEFORE INSERT ON state BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
    log.putState('b', 'sensor', { key: 'k', value: 'v' });
    log.acknowledge('b', 'd', 1);
    await assert.rejects(log.settled(), /the disk is full/);
    assert.equal(errors.length, 1);
    assert.deepEqual([log.place('b', 'd'), log.state('b', 'sensor').size], [0, 0]);
    other.exec('DROP TRIGGER full');
    other.close();
    await log.settled();
    assert.deepEqual([log.place('b', 'd'), log.state('b', 'sensor').get('k')], [1, 'v']);
    log.close();
  });

  it('keeps as many and as long as it is told', async () => {
    let now = 0;
    const pruned = new EventLog(':memory:', { now: () => now, onError });
    for (let i = 0; i < 10; i++) {
      now = i * 1000;
      await pruned.append('b', 's', { id: String(i), body: String(i) });
    }
    const left = () =>
      pruned
        .last('b', 100)
        .map(({ body }) => body)
        .join('');
    await pruned.prune('b', { maxAge: 5000, maxMessages: 100 });
    assert.equal(left(), '456789');
    await pruned.prune('b', { maxAge: 5000, maxMessages: 2 });
    assert.equal(left(), '89');
    await pruned.drop('b');
    assert.equal(left(), '');
    pruned.close();
  });
});
