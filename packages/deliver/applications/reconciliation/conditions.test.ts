import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApplicationStatus } from '@tiphys/api';
import { defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { type Condition, setConditions } from './conditions.ts';

const kind = defineDiagnosis('ConditionTest', 'A diagnosis of this test');
const condition = (type: Condition['type'], message: string, notice = false): Condition => ({
  type,
  notice,
  diagnosis: diagnose(kind, { message }),
});
const typesOf = ({ conditions = [] }: ApplicationStatus) => conditions.map(({ type }) => type);

test('conditions of the owned types are replaced, others stay, and none leaves none', () => {
  const status: ApplicationStatus = {};
  setConditions(status, ['SyncError'], [condition('SyncError', 'no')], '2026-01-01T00:00:00Z');
  setConditions(status, ['ComparisonError'], [condition('ComparisonError', 'no')], '2026-01-01T00:00:00Z');
  assert.deepEqual(typesOf(status), ['ComparisonError', 'SyncError']);
  assert.equal(status.diagnoses?.length, 2);
  setConditions(status, ['SyncError'], [], '2026-01-01T00:00:00Z');
  assert.deepEqual(typesOf(status), ['ComparisonError']);
  setConditions(status, ['ComparisonError'], [], '2026-01-01T00:00:00Z');
  assert.deepEqual(status, {});
});

test('a condition that stays the same keeps its time, and a new one takes the time of now', () => {
  const status: ApplicationStatus = {};
  setConditions(status, ['SyncError'], [condition('SyncError', 'a')], '2026-01-01T00:00:00Z');
  const stored = status.diagnoses;
  setConditions(status, ['SyncError'], [condition('SyncError', 'a')], '2026-01-02T00:00:00Z');
  assert.equal(status.conditions?.[0]?.lastTransitionTime, '2026-01-01T00:00:00Z');
  assert.equal(status.diagnoses, stored, 'the same list: nothing is written');
  setConditions(status, ['SyncError'], [condition('SyncError', 'b')], '2026-01-03T00:00:00Z');
  assert.equal(status.conditions?.[0]?.lastTransitionTime, '2026-01-03T00:00:00Z');
});

test('a notice is told and makes no condition', () => {
  const status: ApplicationStatus = {};
  setConditions(status, ['SyncError'], [condition('SyncError', 'by the way', true)], '2026-01-01T00:00:00Z');
  assert.equal(status.conditions, undefined);
  assert.equal(status.diagnoses?.length, 1);
});
