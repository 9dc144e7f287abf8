import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { TrustStore } from './trust-store.ts';

test('what hosts are trusted for comes from ConfigMaps and folders as they are now; folders may vanish and come back', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'tiphys-trust-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const data: Record<string, Record<string, string>> = {};
  const configMaps = {
    get: (_namespace: string, name: string) =>
      ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: data[name] ?? {} }) as KubeObject,
  };
  const folders = { tls: join(root, 'tls'), ssh: join(root, 'ssh') };
  const store = new TrustStore(configMaps, 'argocd', folders);
  const url = 'https://git.example.com:8443/org/shop';
  assert.deepEqual(store.of(url), {});

  mkdirSync(folders.tls);
  mkdirSync(folders.ssh);
  writeFileSync(join(folders.tls, 'git.example.com'), 'PEM of the file\n');
  writeFileSync(join(folders.ssh, 'ssh_known_hosts'), 'git.example.com ssh-ed25519 AAAA\n');
  assert.deepEqual(store.of(url), { ca: 'PEM of the file\n', knownHosts: 'git.example.com ssh-ed25519 AAAA\n' });

  data['argocd-tls-certs-cm'] = { 'git.example.com': 'PEM of the map' };
  data['argocd-ssh-known-hosts-cm'] = { ssh_known_hosts: 'other.example.com ssh-rsa BBBB' };
  assert.equal(store.of('git@git.example.com:org/shop').ca, 'PEM of the map\nPEM of the file\n');
  assert.equal(store.of(url).knownHosts, 'other.example.com ssh-rsa BBBB\ngit.example.com ssh-ed25519 AAAA\n');

  rmSync(root, { recursive: true });
  assert.equal(store.of(url).ca, 'PEM of the map\n');
  mkdirSync(folders.tls, { recursive: true });
  writeFileSync(join(folders.tls, 'git.example.com'), 'a new one');
  assert.equal(store.of(url).ca, 'PEM of the map\na new one\n');
});

test('a host in a URL does not lead out of the folder', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'tiphys-trust-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'tls'));
  writeFileSync(join(root, 'secret'), 'MARKER');
  const store = new TrustStore({ get: () => undefined }, 'argocd', { tls: join(root, 'tls') });
  for (const url of [
    'git@..:secret',
    'git@../secret:x',
    'https://../secret',
    'https://%2e%2e%2fsecret/x',
    'ssh://../../secret',
  ])
    assert.deepEqual(store.of(url), {}, url);
});
