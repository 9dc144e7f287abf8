import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../testing/start-test-server.ts';

test('a badge shows health, sync status, revision and name as Argo CD draws them', async (t) => {
  const { client, call, configure } = await startTestServer(t);
  const commit = 'aa29b85a1f5b3cf4d5c7a2bd1b1a5be0f1f0a8c4';
  await client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: {
      project: 'team',
      source: { repoURL: 'https://host.example/x', path: '.' },
      destination: { name: 'in-cluster' },
    },
    status: {
      health: { status: 'Healthy' },
      sync: { status: 'OutOfSync' },
      operationState: {
        phase: 'Succeeded',
        startedAt: '2026-01-01T00:00:00Z',
        operation: {},
        syncResult: { revision: commit, source: { repoURL: 'x' } },
      },
    },
  });
  const badge = async (query: string) => {
    const { status, headers, body } = await call(`/api/badge?${query}`);
    const svg = String(body.text);
    const text = (id: string) => new RegExp(`id="${id}" [^>]*>([^<]*)`).exec(svg)?.[1];
    const fill = (id: string) => new RegExp(`id="${id}" fill="([^"]*)"`).exec(svg)?.[1];
    const size = /^<svg width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number);
    return { status, headers, text, fill, size };
  };
  assert.equal((await badge('name=shop')).text('leftText'), 'Unknown');
  await configure('argocd-cm', { 'statusbadge.enabled': 'true' });

  const plain = await badge('name=shop');
  assert.equal(plain.text('leftText'), 'Healthy');
  assert.equal(plain.text('rightText'), 'OutOfSync');
  assert.equal(plain.fill('leftRect'), 'rgb(11, 97, 42)');
  assert.equal(plain.fill('rightRect'), 'rgb(189, 115, 0)');
  assert.deepEqual(plain.size, [131, 20]);
  assert.equal(plain.headers.get('content-type'), 'image/svg+xml');
  assert.equal(plain.headers.get('cache-control'), 'private, no-store');
  assert.equal(plain.headers.get('access-control-allow-origin'), '*');

  const revision = await badge('name=shop&revision=true');
  assert.equal(revision.text('revisionText'), '(aa29b85)');
  assert.deepEqual(revision.size, [192, 20]);
  const full = await badge('name=shop&revision=true&keepFullRevision=true');
  assert.equal(full.text('revisionText'), `(${commit})`);
  assert.deepEqual(full.size, [400, 20]);
  assert.deepEqual((await badge('name=shop&width=500')).size, [500, 20]);
  const titled = await badge('name=shop&showAppName=true');
  assert.equal(titled.text('titleText'), 'shop');
  assert.deepEqual(titled.size, [131, 40]);

  assert.equal((await badge('project=team')).text('leftText'), 'Healthy');
  assert.equal((await badge('project=other')).text('leftText'), 'Unknown');
  assert.equal((await badge('name=nothing')).text('leftText'), 'Not Found');
  assert.equal((await badge('name=shop&namespace=elsewhere')).text('leftText'), 'Not Found');
  assert.equal((await badge('name=%3Cscript%3E')).status, 400);
  assert.equal((await badge('name=shop&namespace=A_B')).status, 400);
});
