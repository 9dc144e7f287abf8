import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { concernsApplications } from './settings-concern.ts';

const configMap = (name: string, data: Record<string, string>, resourceVersion = '1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, resourceVersion },
  data,
});

const cases: readonly [
  what: string,
  name: string,
  before: Record<string, string>,
  after: Record<string, string>,
  concerned: boolean,
][] = [
  ['the tracking method', 'argocd-cm', {}, { 'application.resourceTrackingMethod': 'label' }, true],
  ['a setting that went', 'argocd-cm', { 'kustomize.buildOptions': '--enable-helm' }, {}, true],
  ['health of a kind', 'argocd-cm', {}, { 'resource.customizations.health.apps_Deployment': 'return {}' }, true],
  ['a key that nobody knows', 'argocd-cm', {}, { 'brand.new': '1' }, true],
  ['a compare option of the controller', 'argocd-cmd-params-cm', {}, { 'controller.diff.server.side': 'true' }, true],
  ['a certificate', 'argocd-tls-certs-cm', {}, { 'git.example.com': 'PEM' }, true],
  ['a host key', 'argocd-ssh-known-hosts-cm', {}, { ssh_known_hosts: 'git.example.com ssh-ed25519 A' }, true],
  ['an account', 'argocd-cm', {}, { 'accounts.alice': 'login' }, false],
  ['the login', 'argocd-cm', { 'dex.config': 'a' }, { 'dex.config': 'b', 'oidc.config': 'c', url: 'https://x' }, false],
  ['a custom action', 'argocd-cm', {}, { 'resource.customizations.actions.apps_Deployment': 'x' }, false],
  ['the port of the API', 'argocd-cmd-params-cm', {}, { 'server.insecure': 'true' }, false],
  ['who may do what', 'argocd-rbac-cm', {}, { 'policy.csv': 'p, a, b, c, d, allow' }, false],
  ['templates of notifications', 'argocd-notifications-cm', {}, { 'template.a': 'b' }, false],
  ['no data', 'argocd-cm', { a: 'b' }, { a: 'b' }, false],
];

for (const [what, name, before, after, concerned] of cases)
  test(`a change of ${what} in ${name} ${concerned ? 'has' : 'does not have'} every application looked at`, () => {
    const old = configMap(name, before);
    const object = configMap(name, after, '2');
    assert.equal(concernsApplications({ type: 'updated', object, old }), concerned);
  });

test('settings that come or go count as what they hold', () => {
  const object = configMap('argocd-cm', { 'application.instanceLabelKey': 'x' });
  assert.equal(concernsApplications({ type: 'added', object }), true);
  assert.equal(concernsApplications({ type: 'deleted', object }), true);
  assert.equal(concernsApplications({ type: 'added', object: configMap('argocd-cm', {}) }), false);
});
