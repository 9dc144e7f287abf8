import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execContainer } from './exec-container.ts';

test('the executor is root where nobody says as whom the pod runs, and nowhere else', () => {
  const usual = { executorImage: 'tiphys', executorAsRoot: true };
  const contextOf = (settings: object, { template = {}, spec = {} }: { template?: object; spec?: object } = {}) =>
    execContainer({ settings, template, spec, workflow: { name: 'w', uid: 'u' } } as never, 'wait', ['wait'])
      .securityContext;
  assert.deepEqual(contextOf(usual), { runAsUser: 0 });
  assert.deepEqual(contextOf(usual, { spec: { securityContext: { fsGroup: 7 } } }), { runAsUser: 0 });
  assert.equal(contextOf(usual, { spec: { securityContext: { runAsUser: 1000 } } }), undefined);
  assert.equal(contextOf(usual, { template: { securityContext: { runAsNonRoot: true } } }), undefined);
  assert.equal(contextOf({ ...usual, executorAsRoot: false }), undefined);
  assert.equal(contextOf({ ...usual, executorImage: 'quay.io/argoproj/argoexec-nonroot:v4.1.2' }), undefined);
  const own = { runAsUser: 5 };
  assert.deepEqual(contextOf({ ...usual, executor: { securityContext: own } }), own);
});
