import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Draft,
  draftOfAddress,
  draftToYaml,
  emptyDraft,
  isHydrated,
  pairsOf,
  pairsText,
  problemsOf,
  sourcePaths,
  valueAt,
  withAnotherSource,
  withHydration,
  withOption,
  withoutSource,
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

test('draftOfAddress() fills in what a link says, also one of the peers', () => {
  const of = (text: string) => draftOfAddress(new URLSearchParams(text));
  assert.deepEqual(of('new=true'), emptyDraft);
  assert.deepEqual(of('new={'), emptyDraft);
  assert.deepEqual(of('new=[]'), emptyDraft);
  const filled = of('new=true&project=pay&repository=https%3A%2F%2Fgit.example.com%2Fpay');
  assert.equal(valueAt(filled, 'spec.project'), 'pay');
  assert.equal(valueAt(filled, 'spec.source.repoURL'), 'https://git.example.com/pay');
  const whole = { metadata: { name: 'shop' }, spec: { project: 'pay', source: { repoURL: 'a', chart: 'b' } } };
  assert.deepEqual(of(`new=${encodeURIComponent(JSON.stringify({ apiVersion: 'x', ...whole }))}`), {
    ...emptyDraft,
    ...whole,
  });
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

test('sources become a list and one again, and each is checked', () => {
  const two = withAnotherSource(withValue(emptyDraft, 'spec.source.repoURL', 'https://git/a'));
  assert.deepEqual(sourcePaths(two), ['spec.sources.0', 'spec.sources.1']);
  assert.deepEqual(Object.keys(two.spec as object), ['project', 'sources', 'destination']);
  const named = withValue(withValue(two, 'spec.sources.1.repoURL', 'https://git/b'), 'spec.sources.1.ref', 'values');
  assert.equal(valueAt(named, 'spec.sources.1.ref'), 'values');
  assert.deepEqual([...problemsOf(named).keys()], ['metadata.name', 'spec.sources.0.path']);
  const one = withoutSource(named, 1);
  assert.deepEqual(sourcePaths(one), ['spec.source']);
  assert.equal(valueAt(one, 'spec.source.repoURL'), 'https://git/a');
  assert.equal(withValue(named, 'spec.sources.0.helm.releaseName', 'x') === named, false);
  assert.equal(
    valueAt(withValue(named, 'spec.sources.0.helm.releaseName', 'x'), 'spec.sources.0.helm.releaseName'),
    'x',
  );
});

test('a source is hydrated and synced as it is again, with all that it was told', () => {
  const plain = withValue(withValue(emptyDraft, 'spec.source.repoURL', 'https://git/a'), 'spec.source.path', 'deploy');
  const hydrated = withHydration(plain, true);
  assert.ok(isHydrated(hydrated));
  assert.equal(valueAt(hydrated, 'spec.source'), undefined);
  assert.deepEqual(sourcePaths(hydrated), ['spec.sourceHydrator.drySource']);
  assert.equal(valueAt(hydrated, 'spec.sourceHydrator.syncSource.path'), 'deploy');
  assert.deepEqual([...problemsOf(hydrated).keys()], ['metadata.name', 'spec.sourceHydrator.syncSource.targetBranch']);
  assert.deepEqual(valueAt(withHydration(hydrated, false), 'spec'), {
    project: 'default',
    destination: valueAt(plain, 'spec.destination'),
    source: valueAt(plain, 'spec.source'),
  });
  assert.equal(withHydration(hydrated, true), hydrated);
});

test('pairsOf() reads names and values, and says which line is none', () => {
  assert.deepEqual(pairsOf('team=shop\n\nurl = a=b\nempty='), { pairs: { team: 'shop', url: 'a=b', empty: '' } });
  assert.deepEqual(pairsOf('team'), { pairs: undefined, broken: 'team' });
  assert.deepEqual(pairsOf('=x\na=1'), { pairs: { a: '1' }, broken: '=x' });
  assert.equal(pairsText({ team: 'shop', count: 2 }), 'team=shop\ncount=2');
  assert.equal(pairsText(undefined), '');
});
