import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOf, ownPage } from './object-pages.ts';

const here = { spec: { destination: { server: 'https://kubernetes.default.svc' } } };
const child = { group: 'argoproj.io', kind: 'Application', namespace: 'argocd', name: 'shop', uid: '1' };

test('ownPage() leads to the pages of what is in the cluster of the control plane', () => {
  assert.equal(ownPage(here, child), 'applications/argocd/shop');
  assert.equal(ownPage({ spec: { destination: { name: 'in-cluster' } } }, child), 'applications/argocd/shop');
  assert.equal(ownPage(here, { ...child, kind: 'Rollout', namespace: 'pay' }), 'rollouts/pay/shop');
  assert.equal(ownPage(here, { ...child, kind: 'AppProject' }), 'settings/projects/shop');
  assert.equal(ownPage({ spec: { destination: { name: 'east' } } }, child), undefined);
  assert.equal(ownPage(here, { kind: 'ConfigMap', namespace: 'pay', name: 'a', uid: '2' }), undefined);
  const { uid: _, ...missing } = child;
  assert.equal(ownPage(here, missing), undefined);
});

test('an application that another control plane manages leads there, and nowhere where its address runs something', () => {
  const managed = (value: string) => ({ ...child, info: [{ name: 'managed-by-url', value }] });
  assert.equal(ownPage(here, managed('https://cd.example.com/')), undefined);
  assert.deepEqual(linksOf(managed('https://cd.example.com/')), [
    { title: 'shop', url: 'https://cd.example.com/applications/argocd/shop' },
  ]);
  assert.deepEqual(linksOf(managed('javascript:alert(1)')), []);
});

test('linksOf() reads titles of annotations, and leaves out what is no page', () => {
  const links = ['Grafana|https://grafana.example.com/d/1', 'https://shop.example.com', 'x|javascript:alert(1)'];
  assert.deepEqual(linksOf({ kind: 'Service', name: 'web', networkingInfo: { externalURLs: links } }), [
    { title: 'Grafana', url: 'https://grafana.example.com/d/1' },
    { title: 'https://shop.example.com', url: 'https://shop.example.com' },
  ]);
});
