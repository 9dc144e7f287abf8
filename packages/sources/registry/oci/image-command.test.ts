import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageCredentials } from '../access/docker-config.ts';
import { parseImageReference } from './image-command.ts';
import { formatOciReference } from './oci-reference.ts';

test('names of images are read as container runtimes read them', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  for (const [image, full] of [
    ['alpine', 'docker.io/library/alpine:latest'],
    ['team/tool:1.2', 'docker.io/team/tool:1.2'],
    ['index.docker.io/library/alpine:3', 'docker.io/library/alpine:3'],
    ['localhost/tool', 'localhost/tool:latest'],
    ['registry.example.com:5000/a/b/c', 'registry.example.com:5000/a/b/c:latest'],
    [`ghcr.io/team/tool@${digest}`, `ghcr.io/team/tool@${digest}`],
  ] as const)
    assert.equal(formatOciReference(parseImageReference(image)), full);
  assert.throws(() => parseImageReference('Team/Tool'), /invalid repository/);
});

test('of pull Secrets the entry that leads furthest to the repository is taken', () => {
  const entry = (username: string) => ({ username, password: 'p' });
  const auths = {
    'https://index.docker.io/v1/': entry('hub'),
    'registry.example.com': entry('all'),
    'registry.example.com/team': entry('team'),
    '*.regions.example.com': entry('region'),
  };
  const secrets = [
    { name: 'new', text: JSON.stringify({ auths }) },
    { name: 'old', text: JSON.stringify({ 'old.example.com': { auth: Buffer.from('old:p').toString('base64') } }) },
  ];
  const user = (image: string) => imageCredentials(secrets, parseImageReference(image))?.username;
  assert.equal(user('alpine'), 'hub');
  assert.equal(user('registry.example.com/other/tool'), 'all');
  assert.equal(user('registry.example.com/team/tool'), 'team');
  assert.equal(user('registry.example.com/teams/tool'), 'all');
  assert.equal(user('eu.regions.example.com/tool'), 'region');
  assert.equal(user('a.eu.regions.example.com/tool'), undefined);
  assert.equal(user('old.example.com/tool'), 'old');
  assert.throws(() => imageCredentials([{ name: 'bad', text: '{' }], parseImageReference('alpine')), /bad/);
});
