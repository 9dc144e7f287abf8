import assert from 'node:assert/strict';
import test from 'node:test';
import { type Rollout, rolloutNames } from '@tiphys/api';
import { MemoryCluster } from '../../../foundation/controller/testing/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { Shelf } from '../cluster/shelf.ts';
import type { Service } from '../objects/kinds.ts';
import { rolloutOf, serviceOf } from '../testing/bench.ts';
import { releaseService } from './release.ts';

const { annotations, labels } = rolloutNames;

async function released(other: Rollout | undefined): Promise<boolean> {
  const memory = new MemoryCluster();
  if (other) memory.put(other);
  const service = serviceOf('active');
  const stored = memory.put<Service>({
    ...service,
    metadata: { ...service.metadata, annotations: { [annotations.managedByRollouts]: 'web' } },
    spec: { ...service.spec, selector: { app: 'web', [labels.podTemplateHash]: 'abc' } },
  });
  const cluster = { client: memory.client, services: new Shelf(memory.view<Service>('Service')) } as Cluster;
  await releaseService(cluster, stored, []);
  const [now] = memory.objects<Service>('Service');
  return now?.spec.selector?.[labels.podTemplateHash] === undefined;
}

test('a Service that no Rollout manages any more selects all its pods; one of another instance is left alone', async () => {
  assert.equal(await released(undefined), true);
  assert.equal(await released(rolloutOf({ blueGreen: { activeService: 'another' } })), true);
  assert.equal(await released(rolloutOf({ blueGreen: { activeService: 'active' } })), false);
});
