import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { busContract, duplicateContract } from '../testing/contract.ts';
import { EmbeddedBus } from './embedded-bus.ts';
import { EventLog } from './event-log.ts';

describe('the embedded bus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bus-'));
  const log = new EventLog(join(folder, 'events.sqlite'), () => Date.now());
  after(() => {
    log.close();
    rmSync(folder, { recursive: true });
  });
  const under = () => ({ open: async () => new EmbeddedBus(log, 'ns/default', systemClock) });
  busContract(under);
  duplicateContract(under);

  it('keeps what was committed when the file is opened again', async () => {
    const file = join(folder, 'again.sqlite');
    const before = new EventLog(file, () => 1000);
    await before.register('b', 'd', 's');
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => before.append('b', 's', { id: String(i), body: String(i) })),
    );
    await before.acknowledge('b', 'd', 40);
    before.close();
    const reopened = new EventLog(file, () => 1000);
    assert.deepEqual(
      reopened.next('b', 'd', 2).map(({ body }) => body),
      ['40', '41'],
    );
    assert.deepEqual(
      reopened.last('b', 2).map(({ body }) => body),
      ['98', '99'],
    );
    reopened.close();
  });

  it('keeps as many and as long as it is told', async () => {
    let now = 0;
    const pruned = new EventLog(':memory:', () => now);
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
