import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quarantineAnnotation, quarantineOf, withoutQuarantined } from './quarantine.ts';

const entry = (revision: string) => ({
  revisions: [revision],
  at: '2026-01-02T03:04:05Z',
  reason: 'never ready',
  render: 'd',
});
const holding = (text: string) => ({
  metadata: { name: 'shop', namespace: 'argocd', annotations: { [quarantineAnnotation]: text } },
});

test('quarantineOf() tells the revisions in quarantine, and none of what it cannot read', () => {
  const application = holding(JSON.stringify([entry('b'), { revisions: 'no list' }, null, entry('a')]));
  assert.deepEqual(
    quarantineOf(application).map(({ revisions }) => revisions),
    [['b'], ['a']],
  );
  for (const text of ['', '{', '{}', '7']) assert.deepEqual(quarantineOf(holding(text)), []);
  assert.deepEqual(quarantineOf({ metadata: { name: 'shop', namespace: 'argocd' } }), []);
});

test('withoutQuarantined() keeps all that is not released, as it was', () => {
  const strange = { revisions: 'no list' };
  const application = holding(JSON.stringify([entry('b'), strange, entry('a')]));
  const [first, second] = quarantineOf(application);
  assert.ok(first && second);
  assert.equal(withoutQuarantined(application, [first]), JSON.stringify([strange, entry('a')]));
  assert.equal(withoutQuarantined(holding(JSON.stringify([entry('a')])), [second]), null);
});
