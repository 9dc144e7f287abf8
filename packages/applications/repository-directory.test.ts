import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { RepositoryDirectory } from './repository-directory.ts';

let count = 0;
const secret = (data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: data.username ? `of-${data.username}` : `secret-${count++}` },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});
const directory = (repositories: Record<string, string>[], templates: Record<string, string>[] = []) =>
  new RepositoryDirectory({ list: () => repositories.map(secret) }, { list: () => templates.map(secret) });
const url = 'https://example.com/team/shop.git';

test('a repository that nobody declared is read without credentials', () => {
  assert.deepEqual(directory([]).access(url, 'default'), { url, type: 'git', settings: {} });
});

test('the Secret of the project wins over the one for all, and that of another project is never lent', () => {
  const known = directory([
    { url, username: 'everybody', password: 'a' },
    { url, project: 'blue', username: 'blue', password: 'b' },
    { url: 'https://example.com/team/other', project: 'blue', username: 'other', password: 'c' },
  ]);
  assert.equal(known.access(url, 'blue').settings.username, 'blue');
  assert.equal(known.access(url, 'red').settings.username, 'everybody');
  assert.equal(known.access('https://example.com/team/other.git', 'red').settings.username, undefined);
});

test('spellings of one address are one repository', () => {
  const known = directory([{ url: 'https://Example.com/team/shop', username: 'somebody' }]);
  for (const spelling of [url, 'https://example.com/team/shop/', 'https://EXAMPLE.com/Team/shop.git'])
    assert.equal(known.access(spelling, '').credentialFrom, 'of-somebody', spelling);
});

test('without credentials of its own a repository takes those of the longest template', () => {
  const templates = [
    { url: 'https://example.com', username: 'host' },
    { url: 'https://example.com/team', username: 'team', type: 'helm', name: 'no setting of credentials' },
    { url: 'https://example.com/team/shopping', username: 'longer' },
  ];
  const { type, credentialFrom, settings } = directory([{ url, insecure: 'true' }], templates).access(url, '');
  // Upstream lends the type, too, where the repository has none.
  assert.deepEqual([type, credentialFrom], ['helm', 'of-team']);
  assert.deepEqual(settings, { url, insecure: 'true', username: 'team', type: 'helm' });
  assert.equal(directory([{ url, username: 'own' }], templates).access(url, '').credentialFrom, 'of-own');
});

test('what the caller brings wins over what is known', () => {
  const known = directory([{ url, username: 'known', password: 'secret' }]);
  assert.deepEqual(known.complete({ url, settings: { username: 'given' } }).settings, { username: 'given' });
  assert.equal(known.complete({ url, settings: {} }).settings.username, 'known');
});
