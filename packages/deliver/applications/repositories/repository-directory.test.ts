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
  for (const spelling of [url, 'https://EXAMPLE.com/Team/shop.git'])
    assert.equal(known.access(spelling, '').credentialFrom, 'of-somebody', spelling);
  // another one to upstream
  assert.equal(known.access('https://example.com/team/shop/', '').credentialFrom, undefined);
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
  assert.equal(known.complete({ url, settings: { username: 'given' } }).credentialFrom, undefined);
  assert.equal(known.complete({ url, settings: { username: 'known', password: 'secret' } }).credentialFrom, 'of-known');
});

test('a dependency is reached by URL, by name, by template, and for registries by what is above or below it', () => {
  const known = directory(
    [
      { url: 'https://charts.test/stable', name: 'mine', username: 'url', password: 'a', type: 'helm' },
      { url: 'registry.test/team', enableOCI: 'true', username: 'above', password: 'b', type: 'helm' },
      { url: 'oci://other.test/team/web', type: 'oci', username: 'below', password: 'c', insecureOCIForceHttp: 'true' },
      { url: 'https://blue.test', project: 'blue', username: 'blue', password: 'd', type: 'helm' },
    ],
    [{ url: 'https://templated.test', username: 'template', password: 'e', type: 'helm' }],
  );
  const user = (repository: string, permits: (url: string) => boolean = () => true, project = 'red') =>
    known.dependency(repository, project, permits)?.settings.username;
  assert.equal(user('https://charts.test/stable/'), 'url');
  assert.equal(user('@mine'), 'url');
  assert.equal(user('alias:mine'), 'url');
  assert.equal(user('@other'), undefined);
  assert.equal(user('oci://registry.test/team'), 'above');
  assert.equal(user('oci://registry.test/team/sub'), 'above');
  assert.equal(user('oci://other.test/team'), 'below');
  assert.equal(user('https://templated.test/x'), 'template');
  assert.equal(user('https://unknown.test'), undefined);
  assert.equal(user('https://blue.test'), undefined, 'that of another project is never lent');
  assert.equal(
    user('https://blue.test', () => true, 'blue'),
    'blue',
  );
  // What the project does not permit lends nothing.
  const none = () => false;
  for (const repository of [
    'https://charts.test/stable',
    '@mine',
    'oci://registry.test/team',
    'https://templated.test/x',
  ])
    assert.equal(user(repository, none), undefined, repository);
});

test('hosts are registered by Secrets without a project alone', () => {
  const known = directory(
    [
      { url: 'https://Git.test:8443/a/b' },
      { url: 'git@ssh.test:a/b.git' },
      { url: 'registry.test:5000/charts', enableOCI: 'true' },
      { url: 'oci://[fd00::7]:5000/charts' },
      { url: 'https://blue.test', project: 'blue' },
      { url: '/srv/repositories/a' },
    ],
    [{ url: 'https://templated.test' }],
  );
  assert.deepEqual([...known.registeredHosts()].sort(), ['fd00::7', 'git.test', 'registry.test', 'ssh.test']);
});

test('of templates with one URL the first by name is taken, and the others are named', () => {
  const templates = [
    { url: 'https://example.com/team', username: 'b' },
    { url: 'https://example.com/team', username: 'a' },
    { url: 'https://example.com', username: 'host' },
  ];
  const { credentialFrom, rivals } = directory([], templates).access(url, '');
  assert.deepEqual([credentialFrom, rivals], ['of-a', ['of-b']]);
  assert.equal(directory([], templates.slice(1)).access(url, '').rivals, undefined);
});
