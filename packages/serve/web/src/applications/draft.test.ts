import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Draft,
  draftToYaml,
  emptyDraft,
  problemsOf,
  valueAt,
  withOption,
  withValue,
  yamlToDraft,
} from './draft.ts';

test('withValue() sets and takes out, keeps the order, and leaves nothing empty behind', () => {
  const draft: Draft = { a: { b: 1 }, c: 2 };
  assert.equal(JSON.stringify(withValue(draft, 'a.b', 3)), '{"a":{"b":3},"c":2}');
  assert.deepEqual(withValue(draft, 'a.b', undefined), { c: 2 });
  assert.deepEqual(withValue(draft, 'd.e.f', true), { ...draft, d: { e: { f: true } } });
  assert.deepEqual(withValue(draft, 'x.y', undefined), draft);
});

test('withOption() replaces an option by its name', () => {
  const on = withOption(emptyDraft, 'CreateNamespace=true', true);
  assert.deepEqual(valueAt(on, 'spec.syncPolicy.syncOptions'), ['CreateNamespace=true']);
  assert.deepEqual(withOption(on, 'CreateNamespace=true', false), emptyDraft);
});

test('a draft and its YAML are the same', () => {
  assert.deepEqual(yamlToDraft(draftToYaml(emptyDraft)), emptyDraft);
  assert.equal(yamlToDraft('a: [b'), undefined);
  assert.equal(yamlToDraft('just text'), undefined);
});

test('problemsOf() names what is missing by its field', () => {
  assert.deepEqual([...problemsOf(emptyDraft).keys()], ['metadata.name', 'spec.source.repoURL', 'spec.source.path']);
  const named = withValue(emptyDraft, 'metadata.name', 'Shop');
  assert.match(problemsOf(named).get('metadata.name') ?? '', /Small letters/);
  const chart = withValue(withValue(named, 'spec.source.chart', 'redis'), 'spec.source.targetRevision', undefined);
  assert.ok(problemsOf(chart).has('spec.source.targetRevision'));
});
