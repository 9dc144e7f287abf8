import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { EventLog } from '../bus/embedded/event-log.ts';
import type { FlowCount } from './flow.ts';
import { Journal } from './journal.ts';

const event = (id: string) => ({ id, namespace: 'shop', eventSource: 'hooks', event: 'push', type: 'webhook' });
const onError = (error: unknown) => assert.fail(String(error));

describe('Journal', () => {
  it('has the ways of the last events again after a restart, and no more than it keeps', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-ways-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'events.sqlite');
    const open = () => new EventLog(file, { now: () => 0, onError });
    let now = 0;
    const clock = { ...systemClock, now: () => now++ };
    const log = open();
    const journal = new Journal(clock, log);
    for (let i = 0; i < 1100; i++) journal.add(event(`e${i}`), { kind: 'received', text: `the ${i}th` });
    journal.add(event('e1099'), { kind: 'refused', sensor: 'acts', text: 'filter data' });
    journal.close();
    log.close();
    const reopened = open();
    const again = new Journal(clock, reopened);
    const kept = again.list({ most: 5000 }).map(({ id }) => id);
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [1000, 'e1099', 'e100']);
    assert.deepEqual(
      again.find('shop', 'e1099')?.steps.map(({ kind, text }) => `${kind}: ${text}`),
      ['received: the 1099th', 'refused: filter data'],
    );
    again.add(event('e1099'), { kind: 'triggered', sensor: 'acts', text: 'done' });
    again.close();
    reopened.close();
    const last = open();
    assert.equal(new Journal(clock, last).find('shop', 'e1099')?.steps.length, 3);
    last.close();
  });

  it('counts what happens on the way from each source to each trigger, with the last reason', () => {
    const journal = new Journal(systemClock);
    const told: FlowCount[] = [];
    const stop = journal.subscribe((count) => told.push(count));
    const refused = { kind: 'refused', sensor: 'acts', dependency: 'dep', trigger: 't' } as const;
    journal.add(event('1'), { kind: 'received', text: '' });
    journal.add(event('1'), { ...refused, text: 'body.n is 1' });
    journal.add(event('2'), { ...refused, text: 'body.n is 2' });
    stop();
    journal.add(event('3'), { ...refused, trigger: 'u', text: 'body.n is 3' });
    assert.deepEqual(
      journal.flow().map(({ kind, trigger, count, last }) => [kind, trigger, count, last.id, last.text]),
      [
        ['received', undefined, 1, '1', ''],
        ['refused', 't', 2, '2', 'body.n is 2'],
        ['refused', 'u', 1, '3', 'body.n is 3'],
      ],
    );
    assert.deepEqual(
      told.map(({ count }) => count),
      [1, 1, 2],
    );
  });
});
