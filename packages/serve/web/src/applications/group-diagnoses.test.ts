import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupDiagnoses, shortMessage } from './group-diagnoses.ts';

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

const cause = {
  code: 'ManifestFieldInvalid',
  cause: 'M12',
  message: 'spec.replicas must be a number',
  place: { file: 'web.yaml', line: 3 },
};
const sentence =
  'one or more objects failed to apply (dry run): spec.replicas must be a number (web.yaml:3) (retried 5 times).';
const gaveUp = { code: 'AutoSyncGaveUp', cause: 'S6', message: `Failed last sync attempt to abc: ${sentence}` };

test('groupDiagnoses() tells that syncs were given up with their cause, and alone where the cause is not told', () => {
  const told = groupDiagnoses([cause, gaveUp]);
  assert.deepEqual(
    told.map(({ diagnosis, gaveUp: stopped }) => [diagnosis.code, stopped?.code]),
    [['ManifestFieldInvalid', 'AutoSyncGaveUp']],
  );
  const other = { ...cause, message: 'another thing', place: { file: 'b.yaml', line: 3 } };
  assert.deepEqual(
    groupDiagnoses([other, gaveUp]).map(({ diagnosis }) => diagnosis.code),
    ['ManifestFieldInvalid', 'AutoSyncGaveUp'],
  );
  const atPlace = groupDiagnoses([{ ...cause, message: 'the field is no number' }, gaveUp]);
  assert.equal(atPlace.length, 1, 'the place tells that it is the same');
});

test('shortMessage() leaves out what the diagnoses say, and nothing else', () => {
  assert.deepEqual(shortMessage(sentence, [cause, gaveUp]), {
    what: 'one or more objects failed to apply (dry run)',
    retried: '5',
  });
  assert.equal(shortMessage(sentence, [gaveUp]), undefined);
  assert.equal(shortMessage('successfully synced (all tasks run)', [cause]), undefined);
});

test('a revision that was restored is told with the one in quarantine, and by itself where there is none', () => {
  const quarantined = { code: 'RevisionQuarantined', cause: 'RevisionQuarantined', message: 'b is in quarantine' };
  const restored = { code: 'RevisionRestored', cause: 'RevisionRestored', message: 'a runs in place of b' };
  const groups = groupDiagnoses([restored, quarantined]);
  assert.deepEqual(
    groups.map(({ diagnosis, done }) => [diagnosis.code, done?.code]),
    [['RevisionQuarantined', 'RevisionRestored']],
  );
  assert.deepEqual(
    groupDiagnoses([restored]).map(({ diagnosis }) => diagnosis.code),
    ['RevisionRestored'],
  );
});
