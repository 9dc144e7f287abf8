import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeRepoUrl } from './repository-url.ts';

/** What Argo CD 3.5.1 makes of them. */
const table: readonly (readonly [url: string, wanted: string])[] = [
  ['https://Example.com/Shop.git', 'https://example.com/shop'],
  ['https://example.com/shop/', 'https://example.com/shop/'],
  ['https://example.com/shop.git/', 'https://example.com/shop.git/'],
  [' https://example.com/shop ', 'https://example.com/shop'],
  ['http://example.com/team/shop', 'http://example.com/team/shop'],
  ['https://example.com:443/team/shop', 'https://example.com:443/team/shop'],
  ['https://user:secret@example.com/team/shop', 'https://user:secret@example.com/team/shop'],
  ['git@example.com:Team/Shop.git', 'git@example.com/team/shop'],
  ['git@example.com:/team/shop', 'git@example.com//team/shop'],
  ['ssh://git@example.com/team/shop', 'git@example.com/team/shop'],
  ['ssh://git@example.com:2222/team/shop.git', 'git@example.com:2222/team/shop'],
  ['ssh://example.com/team/shop', 'example.com/team/shop'],
  ['org-1234@github.com:team/shop', 'org-1234@github.com/team/shop'],
  ['git@ssh.dev.azure.com:v3/org/project/repo', 'git@ssh.dev.azure.com/v3/org/project/repo'],
  ['https://dev.azure.com/org/my%20project/_git/repo', 'https://dev.azure.com/org/my%20project/_git/repo'],
  ['git@[::1]:team/shop', 'git@[::1]:team/shop'],
  ['ssh://git@[::1]:22/team/shop', 'git@[::1]:22/team/shop'],
  ['git@host:x.git.git', 'git@host/x.git'],
  ['file:///srv/shop.git', 'file:///srv/shop'],
  ['/srv/shop.git', '/srv/shop'],
  ['codecommit::us-east-1://repo', 'codecommit::us-east-1://repo'],
  ['registry.example.com/charts', 'registry.example.com/charts'],
  ['localhost:5000/charts', 'localhost:5000/charts'],
  ['127.0.0.1:5000/charts', '127.0.0.1:5000/charts'],
  ['oci://registry.example.com/charts', 'oci://registry.example.com/charts'],
  ['https://example.com/a b', 'https://example.com/a%20b'],
  ['https://example.com/ä', 'https://example.com/%C3%A4'],
  ['https://example.com/%41', 'https://example.com/%41'],
  ['https://example.com/%zz', 'https://example.com/%zz'],
  ['https://example.com/a?b=C#D', 'https://example.com/a?b=c#d'],
  ['https://example.com:port/x', 'https://example.com:port/x'],
  ['https://exam ple.com/x', 'https://exam ple.com/x'],
  ['*', '*'],
  ['', ''],
  ['https://github.com/*', 'https://github.com/*'],
  ['https://*.example.com/**', 'https://*.example.com/**'],
  ['git@github.com:*', 'git@github.com/*'],
  ['https://example.com/[ab]', 'https://example.com/[ab]'],
  ['https://example.com/{a,b}', 'https://example.com/%7Ba,b%7D'],
  ['https://example.com/*/{x}', 'https://example.com/%2A/%7Bx%7D'],
];

test('URLs of repositories are compared as Argo CD compares them', () => {
  for (const [url, wanted] of table) assert.equal(normalizeRepoUrl(url), wanted, url);
});
