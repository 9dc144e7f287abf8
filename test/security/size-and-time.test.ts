import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchListed, matchNegatable, matchPath } from '@tiphys/glob';
import { satisfies } from '@tiphys/template';
import { concerns, refreshPaths, type WebhookEvent } from '@tiphys/webhooks';

// What backtracks does not end: these tests fail by the limit of the runner.

test('a pushed file cannot make an annotation of paths slow', () => {
  const repoURL = 'https://host.example/team/shop';
  const event: WebhookEvent = {
    kind: 'push',
    urls: [repoURL],
    revision: 'main',
    touchedHead: true,
    changedFiles: [`${'a'.repeat(4000)}!`],
  };
  for (const hostile of [`/${'*'.repeat(12)}x`, `/${'*a'.repeat(12)}x`, `/${'*[a-z]'.repeat(200)}x`]) {
    const source = { repoURL, targetRevision: 'HEAD', paths: refreshPaths(hostile, 'apps') };
    assert.equal(concerns(event, source), false);
  }
});

test('patterns of projects, lists and paths take time linear in the text', () => {
  const text = `${'a'.repeat(2000)}!`;
  for (const pattern of ['*a'.repeat(200), '{a,a,aa}'.repeat(30), `${'?*'.repeat(100)}x`]) {
    assert.equal(matchNegatable(pattern, text), false);
    assert.equal(matchPath(pattern, text), false);
  }
  for (const pattern of ['/^(a+)+$/', '/^(a|aa)+$/', '/^(?=a)(a+)+$/', '/(a*)*b/'])
    assert.equal(matchListed([pattern], text), false);
});

test('ranges of versions take time linear in the text', () => {
  assert.equal(satisfies('1.2.3', `1${'      1'.repeat(200)} !`), false);
});
