import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templateFit } from './template-match.ts';

test('a template fits the repositories whose URL begins with it, on its own host alone', () => {
  for (const [template, repository, fits] of [
    ['https://git.example.com', 'https://git.example.com/org/shop.git', true],
    ['https://git.example.com/', 'https://GIT.example.com/org/shop', true],
    ['https://git.example.com/org', 'https://git.example.com/org/shop', true],
    ['https://git.example.com/org', 'https://git.example.com/organisation/shop', true],
    ['https://git.example.com', 'https://git.example.com:8443/org/shop', true],
    ['git@git.example.com:org', 'git@git.example.com:org/shop', true],
    ['ssh://git@git.example.com', 'ssh://git@git.example.com/org/shop', true],
    ['registry.example.com', 'registry.example.com/charts', true],
    ['https://', 'https://anything.test/x', true],
    ['', 'https://anything.test/x', false],
    ['https://git.example.com', 'https://git.example.com.evil.test/org/shop', false],
    ['https://git.example.com', 'https://git.example.com:x@evil.test/org/shop', false],
    ['https://git.example.com', 'https://git.example.com@evil.test/org/shop', false],
    ['git@git.example.com', 'git@git.example.com.evil.test:org/shop', false],
    ['registry.example.com', 'registry.example.community/charts', false],
  ] as const)
    assert.equal(templateFit(template, repository) > 0, fits, `${template} for ${repository}`);
  assert.ok(
    templateFit('https://h.test/a/b', 'https://h.test/a/b/c') > templateFit('https://h.test/a', 'https://h.test/a/b/c'),
  );
});
