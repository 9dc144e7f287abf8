import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import { ApplicationIndex, type Entry } from './application-index.ts';
import { batchOf } from './change-batch.ts';
import { readListQuery } from './list-query.ts';

interface Given {
  health?: string;
  sync?: string;
  project?: string;
  labels?: Record<string, string>;
  problem?: string;
}

const application = (
  name: string,
  { health, sync = 'Synced', project = 'default', labels = {}, problem }: Given = {},
) =>
  ({
    metadata: { name, namespace: 'argocd', labels },
    spec: { project, source: { repoURL: 'https://git/x' }, destination: { namespace: name } },
    status: {
      health: { status: health ?? 'Healthy' },
      sync: { status: sync },
      ...(problem ? { diagnoses: [{ code: 'Broken', message: problem }] } : {}),
    },
  }) as unknown as Application;

const indexOf = (...applications: Application[]) => {
  const index = new ApplicationIndex(({ metadata, spec }) => `${spec.project}/${metadata.name}`);
  for (const one of applications) index.set(one);
  return index;
};
const everything = () => true;
const query = (text = '') => readListQuery(new URLSearchParams(text));
const namesOf = (index: ApplicationIndex, text = '') =>
  index.list(query(text), everything).items.map(({ name }) => name);

test('ApplicationIndex lists what has a cause first, then what is unwell, then what differs', () => {
  const index = indexOf(
    application('fine'),
    application('drifted', { sync: 'OutOfSync' }),
    application('ill', { health: 'Degraded' }),
    application('broken', { problem: 'the repository is away' }),
    application('ill-with-cause', { health: 'Degraded', problem: 'no such image' }),
    application('missing', { health: 'Missing', sync: 'OutOfSync' }),
  );
  assert.deepEqual(namesOf(index), ['ill-with-cause', 'broken', 'ill', 'missing', 'drifted', 'fine']);
  assert.equal(namesOf(index, 'sort=-urgency')[0], 'fine');
  assert.deepEqual(namesOf(index, 'text=AWAY'), ['broken']);
});

test('ApplicationIndex keeps its orders through changes and deletions', () => {
  const index = indexOf(application('a'), application('b'), application('c'));
  namesOf(index);
  index.set(application('c', { health: 'Degraded' }));
  index.delete('argocd/a');
  index.set(application('d', { health: 'Missing' }));
  assert.deepEqual(namesOf(index), ['c', 'd', 'b']);
  index.set(application('c'));
  assert.deepEqual(namesOf(index), ['d', 'b', 'c']);
});

test('ApplicationIndex counts a facet as if its own filter were not there', () => {
  const index = indexOf(
    application('a', { project: 'one' }),
    application('b', { project: 'two', health: 'Degraded' }),
    application('c', { project: 'two', labels: { team: 'x' } }),
  );
  const { total, all, counts } = index.list(query('health=Healthy'), everything);
  assert.deepEqual([total, all], [2, 3]);
  assert.deepEqual(counts.health, [
    ['Healthy', 2],
    ['Degraded', 1],
  ]);
  assert.deepEqual(counts.project, [
    ['one', 1],
    ['two', 1],
  ]);
  assert.deepEqual(counts.label, [['team=x', 1]]);
  assert.deepEqual(namesOf(index, 'project=one&project=two&label=team%3Dx'), ['c']);
});

test('ApplicationIndex neither lists nor counts what one may not see', () => {
  const index = indexOf(application('a', { project: 'one' }), application('b', { project: 'two' }));
  const { total, all, counts } = index.list(query(), ({ rbacName }) => rbacName.startsWith('one/'));
  assert.deepEqual([total, all, counts.project], [1, 1, [['one', 1]]]);
});

test('ApplicationIndex cuts pages', () => {
  const index = indexOf(...Array.from({ length: 30 }, (_, i) => application(`a-${String(i).padStart(2, '0')}`)));
  assert.deepEqual(namesOf(index, 'offset=10&limit=2&sort=name'), ['a-10', 'a-11']);
});

test('batchOf() tells rows alone where order and counts stay, and that the list is stale where not', () => {
  const index = indexOf(application('a'), application('b', { project: 'two' }));
  const from = index.version;
  const seen = (text: string, may: (entry: Entry) => boolean = everything) =>
    batchOf(index.since(from) ?? [], query(text), may);
  assert.equal(seen(''), undefined);
  index.set({
    ...application('a'),
    metadata: { name: 'a', namespace: 'argocd', creationTimestamp: '2026-01-01' },
  } as Application);
  assert.deepEqual(seen('')?.stale, false);
  assert.deepEqual(
    seen('')?.rows.map(({ created }) => created),
    ['2026-01-01'],
  );
  assert.equal(seen('project=two'), undefined);
});

test('batchOf() says nothing of what one may not see, and stale when something comes or goes', () => {
  const index = indexOf(application('a'), application('b'));
  const from = index.version;
  index.set(application('c'));
  index.delete('argocd/a');
  const changes = index.since(from) ?? [];
  assert.equal(
    batchOf(changes, query(), ({ key }) => key === 'argocd/b'),
    undefined,
  );
  assert.deepEqual(batchOf(changes, query(), everything)?.stale, true);
  assert.equal(index.since(index.version + 1), undefined, 'a version of the future is none of ours');
});

test('readListQuery() refuses what it does not know', () => {
  assert.throws(() => query('sort=luck'), /urgency, name/);
  assert.throws(() => query('limit=100000'), /from 0 to 500/);
  assert.throws(() => query('offset=-1'), /whole number/);
});

test('ApplicationIndex counts the same whether it counts rows or knows the counts of all', () => {
  const index = indexOf(
    application('a', { health: 'Degraded', labels: { team: 'one' } }),
    application('b', { labels: { team: 'one', tier: 'web' } }),
    application('c', { project: 'other', labels: { team: 'two' } }),
  );
  index.set(application('a', { labels: { team: 'two' } }));
  const known = index.list(query(), everything);
  // a filter that everything matches makes it count
  const counted = index.list(query('text=https'), everything);
  assert.deepEqual(known, counted);
  const some = index.list(query(), ({ rbacName }) => rbacName.startsWith('default/'));
  assert.deepEqual([some.total, some.all, some.counts.project], [2, 2, [['default', 2]]]);
  const pages = ['0', '2', '9'].map((offset) => namesOf(index, `sort=-name&limit=2&offset=${offset}`));
  assert.deepEqual(pages, [['c', 'b'], ['a'], []]);
});
