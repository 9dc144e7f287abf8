import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppProject } from '@tiphys/api';
import { integrityPolicy, signatureProblem } from './source-integrity.ts';

const project = (spec: object): AppProject =>
  ({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'p' }, spec }) as AppProject;
const policy = (url: string, mode = 'head') => ({ repos: [{ url }, { url: '!*secret*' }], gpg: { mode, keys: ['K'] } });
const integrity = (...policies: object[]) => project({ sourceIntegrity: { git: { policies } } });

test('a project wants signatures by keys, or by a policy for the repository', () => {
  assert.equal(integrityPolicy(undefined, 'r'), undefined);
  assert.equal(integrityPolicy(project({}), 'r'), undefined);
  assert.deepEqual(integrityPolicy(project({ signatureKeys: [{ keyID: 'A' }] }), 'r'), { mode: 'head', keys: ['A'] });
  assert.deepEqual(integrityPolicy(integrity(policy('https://a/*')), 'https://a/x/y'), { mode: 'head', keys: ['K'] });
  assert.equal(integrityPolicy(integrity(policy('https://a/*')), 'https://b/x'), undefined);
  assert.equal(integrityPolicy(integrity(policy('https://a/*')), 'https://a/secret'), undefined);
  assert.equal(integrityPolicy(integrity(policy('*', 'none')), 'r'), undefined);
});

test('several policies for one repository, and modes that are not known, trust nothing', () => {
  assert.throws(
    () => integrityPolicy(integrity(policy('*'), policy('r')), 'r'),
    /multiple \(2\) git source integrity policies/,
  );
  assert.equal(integrityPolicy(integrity(policy('*', 'strict')), 'r')?.mode, 'strict');
  assert.throws(() => integrityPolicy(integrity(policy('*', 'odd')), 'r'), /unknown GPG mode "odd"/);
});

test('a commit is trusted if its signature is good and its key is permitted', () => {
  const verified = { revision: 'c', result: 'signed', keyId: 'D56C4FCA57A46444', author: 'A <a@b>' } as const;
  assert.equal(signatureProblem(verified, ['D56C4FCA57A46444']), undefined);
  assert.equal(signatureProblem(verified, [`${'0'.repeat(24)}d56c4fca57a46444`]), undefined);
  assert.equal(
    signatureProblem(verified, ['4AEE18F83AFDEB23']),
    "Failed verifying revision c by 'A <a@b>': signed with unallowed key (key_id=D56C4FCA57A46444)",
  );
  assert.equal(
    signatureProblem({ revision: 'c', result: 'unsigned', keyId: '', author: 'A <a@b>' }, ['D56C4FCA57A46444']),
    "Failed verifying revision c by 'A <a@b>': unsigned (key_id=)",
  );
});
