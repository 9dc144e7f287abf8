import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedResource } from '../api/model.ts';
import { differencesFromLive } from './differences.ts';

const deployment = (name: string, spec: unknown) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec,
});

const managed = (live: unknown, name: string) =>
  ({
    group: 'apps',
    kind: 'Deployment',
    namespace: 'shop',
    name,
    normalizedLiveState: JSON.stringify(live),
  }) as ManagedResource;

test('differencesFromLive() compares a revision with what is live, without what others added', () => {
  const old = deployment('web', { replicas: 1, template: { containers: [{ name: 'web', image: 'web:1' }] } });
  const target = deployment('web', { template: { containers: [{ name: 'web', image: 'web:2', args: ['x'] }] } });
  const live = deployment('web', {
    replicas: 1,
    strategy: { type: 'RollingUpdate' },
    template: {
      containers: [
        { name: 'sidecar', image: 'proxy:1' },
        { name: 'web', image: 'web:2', args: ['x'], imagePullPolicy: 'Always' },
      ],
    },
  });
  const same = deployment('same', { replicas: 2, template: { annotations: {} } });
  const defaulted = {
    ...deployment('same', { replicas: 2, paused: false, template: { dns: 'Default' } }),
    status: { ready: 2 },
  };
  const found = differencesFromLive(
    [{ ...old, metadata: { name: 'web' } }, same, deployment('gone', {})].map((one) => JSON.stringify(one)),
    [target, same].map((one) => JSON.stringify(one)),
    [managed(live, 'web'), managed(defaulted, 'same')],
  );
  assert.deepEqual(
    found.map(({ title, change }) => [title, change]),
    [
      ['apps/Deployment shop/gone', 'removed'],
      ['apps/Deployment shop/web', 'changed'],
    ],
  );
  assert.match(found[1]?.desired ?? '', /image: web:2/);
  assert.doesNotMatch(found[1]?.desired ?? '', /imagePullPolicy|strategy/);
});
