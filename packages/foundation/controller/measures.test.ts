import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { ControllerMeasures } from './measures.ts';

test('families that share a registry share its measures', async () => {
  const registry = new Registry();
  const [first, second] = [new ControllerMeasures(registry), new ControllerMeasures(registry)];
  first.passed('rollout', 5);
  second.passed('workflow', 5);
  second.failed('workflow');
  first.follow('rollout', () => 3);
  second.follow('workflow', () => 4);
  const text = await registry.metrics();
  assert.match(text, /tiphys_reconcile_duration_seconds_count\{controller="rollout"\} 1/);
  assert.match(text, /tiphys_reconcile_duration_seconds_count\{controller="workflow"\} 1/);
  assert.match(text, /tiphys_reconcile_errors_total\{controller="workflow"\} 1/);
  assert.match(text, /tiphys_queue_depth\{controller="rollout"\} 3/);
  assert.match(text, /tiphys_queue_depth\{controller="workflow"\} 4/);
});
