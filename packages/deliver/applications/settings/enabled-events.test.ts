import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enabledEvents } from './enabled-events.ts';

test('all Events are written, none, or those with the reasons', () => {
  const table: [string | undefined, boolean, boolean][] = [
    [undefined, true, true],
    ['', true, true],
    ['all', true, true],
    ['none', false, false],
    ['ResourceCreated', true, false],
    ['ResourceDeleted, OperationCompleted', false, true],
    ['ResourceCreated,none', false, false],
  ];
  for (const [text, created, completed] of table) {
    const writes = enabledEvents(text);
    assert.deepEqual([writes('ResourceCreated'), writes('OperationCompleted')], [created, completed], text ?? 'absent');
  }
});
