import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, Diagnosis } from '../api/model.ts';
import { remedyOf, withAdditions } from './remedies.ts';

const application: Application = {
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: { project: 'pay', destination: {}, syncPolicy: { syncOptions: ['ServerSideApply=true'] } },
};
const diagnosis = (code: string, paste?: string, rule?: string): Diagnosis => ({
  code,
  cause: code,
  message: code,
  ...(rule ? { evidence: [{ name: 'deciding rule', value: rule }] } : {}),
  ...(paste ? { remedies: [{ text: 'first' }, { text: 'second', paste }] } : {}),
});
const of = (one: Diagnosis, gaveUp?: Diagnosis) =>
  remedyOf({ diagnosis: one, others: [], ...(gaveUp ? { gaveUp } : {}) }, application);

test('remedyOf() finds what a diagnosis would have added to the application', () => {
  const remedy = of(diagnosis('NamespaceMissing', 'spec:\n  syncPolicy:\n    syncOptions: [CreateNamespace=true]'));
  assert.deepEqual(remedy, {
    act: 'change-application',
    additions: { 'syncPolicy.syncOptions': ['CreateNamespace=true'] },
  });
  assert.deepEqual(withAdditions(application.spec, { 'syncPolicy.syncOptions': ['CreateNamespace=true'] }), {
    syncPolicy: { syncOptions: ['ServerSideApply=true', 'CreateNamespace=true'] },
  });
  const contested =
    'spec:\n  ignoreDifferences:\n  - {kind: Deployment}\n  syncPolicy:\n    syncOptions: [ServerSideApply=true]';
  assert.deepEqual(of(diagnosis('ReplicasContested', contested)), {
    act: 'change-application',
    additions: { ignoreDifferences: [{ kind: 'Deployment' }] },
  });
  assert.equal(of(diagnosis('Any', 'spec:\n  syncPolicy:\n    syncOptions: [ServerSideApply=true]')), undefined);
});

test('remedyOf() offers what a project lacks, and not where a rule refuses', () => {
  const paste = 'spec:\n  sourceRepos:\n  - https://git.example.com/shop';
  assert.deepEqual(of(diagnosis('NotPermitted', paste, 'none of spec.sourceRepos matches')), {
    act: 'change-project',
    additions: { sourceRepos: ['https://git.example.com/shop'] },
    project: 'pay',
  });
  assert.equal(of(diagnosis('NotPermitted', paste, '!https://git.example.com/*')), undefined);
  assert.equal(of(diagnosis('NotPermitted', paste, '{"server":"!https://east"}')), undefined);
  assert.deepEqual(
    withAdditions({ sourceRepos: ['a'] }, { sourceRepos: ['a', 'b'], destinations: [{ server: 'c' }] }),
    { sourceRepos: ['a', 'b'], destinations: [{ server: 'c' }] },
  );
});

test('remedyOf() leaves alone what is no addition to lists that it knows', () => {
  for (const paste of [
    'spec:\n  project: other',
    'spec:\n  source: {path: b}',
    'spec: [',
    'kubectl create namespace a',
  ])
    assert.equal(of(diagnosis('Any', paste)), undefined, paste);
  assert.equal(of(diagnosis('Any', 'spec:\n  roles:\n  - {name: admin}')), undefined);
});

test('remedyOf() offers another sync where they were given up, and the confirmation that is waited for', () => {
  assert.deepEqual(of(diagnosis('AutoSyncGaveUp')), { act: 'sync-again' });
  assert.deepEqual(of(diagnosis('InvalidObject'), diagnosis('AutoSyncGaveUp')), { act: 'sync-again' });
  assert.deepEqual(of(diagnosis('PruneConfirmationAwaited')), { act: 'confirm-deletion' });
  assert.equal(of(diagnosis('InvalidObject')), undefined);
});
