import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow, WorkflowSpec } from '../model/types.ts';
import { expiresAt } from './expiry.ts';

const all = { secondsAfterCompletion: 30, secondsAfterSuccess: 10, secondsAfterFailure: 20 };
const rows: readonly (readonly [string, NonNullable<WorkflowSpec['ttlStrategy']> | undefined, number | undefined])[] = [
  ['Succeeded', all, 10],
  ['Failed', all, 20],
  ['Error', all, 30],
  ['Error', { secondsAfterFailure: 20 }, undefined],
  ['Succeeded', { secondsAfterFailure: 20 }, undefined],
  ['Succeeded', { secondsAfterCompletion: 30 }, 30],
  ['Failed', { secondsAfterFailure: 0, secondsAfterCompletion: 30 }, 0],
  ['Running', all, undefined],
  ['Failed', undefined, undefined],
];

for (const [phase, ttlStrategy, seconds] of rows)
  test(`${phase} with ${JSON.stringify(ttlStrategy)} lives ${seconds ?? 'on'}`, () => {
    const workflow = {
      metadata: {},
      spec: ttlStrategy ? { ttlStrategy } : {},
      status: { phase, finishedAt: '2026-01-01T00:00:00Z' },
    } as unknown as Workflow;
    const expected = seconds === undefined ? undefined : Date.parse('2026-01-01T00:00:00Z') + seconds * 1000;
    assert.equal(expiresAt(workflow), expected);
  });
