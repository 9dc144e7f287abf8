import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupDiagnoses } from './group-diagnoses.ts';

test('groupDiagnoses() tells one cause once, with its other places', () => {
  const of = (message: string, object: string) => ({ code: 'NamespaceMissing', cause: '', message, place: { object } });
  const groups = groupDiagnoses([of('a is away', 'x'), of('b is away', 'y'), of('a is away', 'z')]);
  assert.deepEqual(
    groups.map(({ diagnosis, others }) => [diagnosis.message, others.map(({ place }) => place?.object)]),
    [
      ['a is away', ['z']],
      ['b is away', []],
    ],
  );
});
