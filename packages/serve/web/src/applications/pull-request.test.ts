import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionNamed } from './pull-request.ts';

test('a pull request is named by its number, on each host by the ref that it has there', () => {
  const cases = [
    ['#7', 'https://github.com/acme/shop.git', 'refs/pull/7/head'],
    ['#7', 'https://git.example.com/acme/shop.git', 'refs/pull/7/head'],
    ['#7', 'https://gitlab.example.com/acme/shop.git', 'refs/merge-requests/7/head'],
    ['!7', 'https://code.example.com/acme/shop.git', 'refs/merge-requests/7/head'],
    ['#7', 'https://bitbucket.example.com/scm/acme/shop.git', 'refs/pull-requests/7/from'],
    ['#7', 'https://dev.azure.com/acme/project/_git/shop', 'refs/pull/7/merge'],
    ['main', 'https://github.com/acme/shop.git', 'main'],
    ['#seven', 'https://github.com/acme/shop.git', '#seven'],
  ] as const;
  for (const [text, repository, revision] of cases) assert.equal(revisionNamed(text, repository), revision);
});

test('a host without refs of pull requests is said to have none', () => {
  assert.throws(() => revisionNamed('#7', 'https://bitbucket.org/acme/shop.git'), /name the branch of #7/);
});
