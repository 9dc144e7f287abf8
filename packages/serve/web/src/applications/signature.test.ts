import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signatureMark } from './signature.ts';

test('signatureMark() tells trusted commits from those that are refused, and from those that nobody vouches for', () => {
  const good = 'Good signature from OpenPGP key D56C4FCA57A46444';
  const refused = (...Problems: string[]) => ({ Checks: [{ Name: 'GIT/GPG', Problems }] });
  assert.equal(signatureMark({}), undefined);
  assert.equal(signatureMark({ signatureInfo: '' }), undefined);
  assert.deepEqual(signatureMark({ signatureInfo: good }), { state: 'trusted', words: 'Verified', detail: good });
  assert.equal(signatureMark({ signatureInfo: good, sourceIntegrityResult: refused() })?.state, 'trusted');
  const other = signatureMark({ signatureInfo: good, sourceIntegrityResult: refused('signed with unallowed key') });
  assert.deepEqual(other, { state: 'refused', words: 'Not trusted', detail: `${good}\nsigned with unallowed key` });
  assert.equal(signatureMark({ signatureInfo: 'Bad signature from SSH key SHA256:x' })?.words, 'Bad signature');
  assert.equal(
    signatureMark({ signatureInfo: 'Unverified signature: the key is not known here' })?.state,
    'unverified',
  );
});
