import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLine } from './console-log.ts';

test('a line of the console says what it is about and why, once', () => {
  assert.equal(logLine('a sentence'), 'a sentence');
  assert.equal(
    logLine('failed to listen, trying again', {
      eventSourceName: 'hooks',
      eventName: 'push',
      eventSourceType: 'webhook',
      error: 'Port 12000 of 127.0.0.1 is taken by node (process 7)',
    }),
    'EventSource hooks, event push: failed to listen, trying again: Port 12000 of 127.0.0.1 is taken by node (process 7)',
  );
  assert.equal(
    logLine('failed to trigger actions, no answer', { sensorName: 's', triggerName: 't', error: 'no answer' }),
    'Sensor s, trigger t: failed to trigger actions, no answer',
  );
});
