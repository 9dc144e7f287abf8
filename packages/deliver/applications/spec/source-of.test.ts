import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasSources, revisionFields, revisionsOf, sourceFields, sourcesOf } from './source-of.ts';

const [a, b] = [{ repoURL: 'a' }, { repoURL: 'b' }];

test('sources win over source, and an empty list is none', () => {
  const table: [Parameters<typeof sourcesOf>[0], unknown[], object, boolean][] = [
    [{}, [], {}, false],
    [{ source: a }, [a], { source: a }, false],
    [{ source: a, sources: [] }, [a], { source: a }, false],
    [{ sources: [b] }, [b], { sources: [b] }, true],
    [{ source: a, sources: [a, b] }, [a, b], { sources: [a, b] }, true],
  ];
  for (const [spec, sources, fields, several] of table) {
    assert.deepEqual(sourcesOf(spec), sources);
    assert.deepEqual(sourceFields(spec), fields);
    assert.equal(hasSources(spec), several);
  }
});

test('revisions are read as they are written', () => {
  assert.deepEqual(revisionsOf(revisionFields(true, ['x', 'y'])), ['x', 'y']);
  assert.deepEqual(revisionsOf(revisionFields(false, ['x'])), ['x']);
  assert.deepEqual(revisionsOf(undefined), []);
  assert.deepEqual(revisionsOf({ revision: '' }), []);
});
