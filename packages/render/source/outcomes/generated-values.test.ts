import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestRepository } from '@tiphys/git/testing';
import type { RecordedValue } from '@tiphys/helm';
import type { Manifests } from '../manifests.ts';
import { requestFor, SourceWorld } from '../testing/source-world.ts';

const world = new SourceWorld();
/** One without any cache. */
const restarted = () => world.manifestsOf();
const chart = (files: Record<string, string>) =>
  world.repositoryOf({ 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n', ...files });

const render = (
  manifests: Manifests,
  repository: TestRepository,
  recorded: readonly RecordedValue[] = [],
  name = 'shop',
) =>
  manifests.render(
    // one release name, so that applications differ in nothing but their name
    requestFor(
      repository,
      { path: '.', helm: { releaseName: 'r' } },
      { application: { name, namespace: 'argocd', project: 'default' }, recorded },
    ),
  );

const secret = `{{- $ca := genCA "ca" 365 }}
apiVersion: v1
kind: Secret
metadata: {name: s, labels: {plain: "yes"}}
stringData:
  password: {{ randAlphaNum 16 }}
  config: |
    password={{ randAlphaNum 12 }}
    port={{ .Values.port }}
data:
  crt: {{ $ca.Cert | b64enc }}
  key: {{ $ca.Key | b64enc }}
  url: {{ printf "https://%s@host" (randAlphaNum 8) | b64enc }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {at: {{ now | date "2006-01-02T15:04:05.000" | quote }}}
`;
const files = { 'templates/a.yaml': secret, 'values.yaml': 'port: 80\n' };
const bytes = ({ objects }: { objects: readonly unknown[] }) => JSON.stringify(objects);

test('recorded values come again after every cache is lost, at every commit', async () => {
  const repository = chart(files);
  const first = await render(restarted(), repository);
  const { used = [], fresh } = first.generated ?? {};
  assert.equal(used.length, 5);
  assert.equal(fresh?.size, 5);
  const stored = JSON.parse(JSON.stringify(used)) as RecordedValue[];
  const second = await render(restarted(), repository, stored);
  assert.equal(bytes(second), bytes(first));
  assert.equal(second.generated?.fresh.size, 0);
  repository.commit({
    'templates/a.yaml': `{{/* edited */}}\n${secret}`,
    'templates/b.yaml': secret.replaceAll('name: ', 'name: b'),
  });
  const third = await render(restarted(), repository, stored);
  const ofFirst = ({ objects }: typeof first) =>
    objects.flatMap(({ object }) => (['s', 'c'].includes(object.metadata.name ?? '') ? [object] : []));
  assert.deepEqual(ofFirst(third), ofFirst(first));
  assert.equal(third.generated?.fresh.size, 5, 'the other file has values of its own');
});

test('which fields are generated is told, with the text around what was', async () => {
  const [made] = (await render(restarted(), chart(files))).objects;
  const fields = new Map((made?.generated ?? []).map((field) => [field.path.join('.'), field]));
  assert.deepEqual([...fields.keys()].sort(), [
    'data.crt',
    'data.key',
    'data.url',
    'stringData.config',
    'stringData.password',
  ]);
  assert.deepEqual(fields.get('data.crt')?.functions, ['genCA']);
  assert.deepEqual(fields.get('stringData.password')?.literals, ['', '']);
  assert.deepEqual(fields.get('stringData.config')?.literals, ['password=', '\nport=80\n']);
  assert.deepEqual([fields.get('data.url')?.literals, fields.get('data.url')?.base64], [['https://', '@host'], true]);
});

test('a chart is rendered again only when what it generated is not recorded', async () => {
  const manifests = restarted();
  const repository = chart(files);
  const first = await render(manifests, repository);
  const recorded = first.generated?.used ?? [];
  assert.equal((await render(manifests, repository, recorded)).objects, first.objects);
  const rotated = await render(manifests, repository, recorded.slice(1));
  assert.notEqual(bytes(rotated), bytes(first));
  assert.equal(rotated.generated?.fresh.size, 1);
  assert.notEqual(rotated.digest, first.digest);
});

test('no application is ever given what was generated for another one, even at the same time', async () => {
  const manifests = restarted();
  const repository = chart(files);
  const [one, two, again] = await Promise.all([
    render(manifests, repository, [], 'one'),
    render(manifests, repository, [], 'two'),
    render(manifests, repository, [], 'one'),
  ]);
  assert.notEqual(bytes(one), bytes(two));
  assert.equal(bytes(one), bytes(again));
  const values = (rendered: typeof one) => new Set(rendered.generated?.used.map(({ value }) => JSON.stringify(value)));
  assert.equal(values(one).intersection(values(two)).size, 0);
});

test('a chart that generates nothing is shared by all', async () => {
  const manifests = restarted();
  const repository = chart({ 'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n' });
  const one = await render(manifests, repository, [], 'one');
  assert.equal(one.generated, undefined);
  assert.equal((await render(manifests, repository, [], 'two')).objects, one.objects);
});
