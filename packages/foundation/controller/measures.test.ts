import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { ControllerMeasures } from './measures.ts';

test('controllers of one process share a registry and are told apart', async () => {
  const registry = new Registry();
  const [lamps, doors] = [new ControllerMeasures(registry), new ControllerMeasures(registry)];
  lamps.follow('lamp', () => 3);
  doors.follow('door', () => 0);
  lamps.passed('lamp', 20);
  doors.failed('door');
  const text = await registry.metrics();
  assert.match(text, /tiphys_queue_depth\{controller="lamp"\} 3/);
  assert.match(text, /tiphys_queue_depth\{controller="door"\} 0/);
  assert.match(text, /tiphys_reconcile_duration_seconds_count\{controller="lamp"\} 1/);
  assert.match(text, /tiphys_reconcile_errors_total\{controller="door"\} 1/);
});
