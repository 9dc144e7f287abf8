import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '@tiphys/api';
import { type Client, type KubeObject, systemClock } from '@tiphys/kubernetes';

/** What a campaign of kills ends with. */
interface Wanted {
  /** Of the applications, which are named `app-…`. */
  readonly namespace: string;
  readonly commit: string;
  readonly applications: number;
}

/** All applications, as soon as each is Synced to the commit and at rest. */
export async function settled(client: Client, { namespace, commit, applications }: Wanted): Promise<Application[]> {
  const deadline = systemClock.now() + 120_000;
  for (;;) {
    const { items } = await client.list<Application>({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      namespace,
    });
    const mine = items.filter(({ metadata }) => metadata.name?.startsWith('app-'));
    const done = mine.filter(
      ({ status, operation }) =>
        !operation &&
        status?.sync?.status === 'Synced' &&
        status.sync.revision === commit &&
        status.operationState?.phase === 'Succeeded',
    );
    if (done.length === applications) return done;
    if (systemClock.now() > deadline) {
      writeFileSync(join(tmpdir(), 'tiphys-crash-state.json'), JSON.stringify(mine, undefined, 1));
      assert.fail(
        `Only ${done.length} of ${applications} converged: ${JSON.stringify(mine.map(({ metadata, operation, status }) => [metadata.name, operation, status?.sync, status?.operationState?.phase, status?.operationState?.message, status?.conditions]))}`,
      );
    }
    await systemClock.sleep(200);
  }
}

async function objectsOf(client: Client, { spec }: Application): Promise<KubeObject[]> {
  const { items } = await client.list({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: spec.destination.namespace ?? '',
  });
  return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
}

/** Nothing is lost, recorded twice, orphaned, or run twice for one operation. */
export async function verify(client: Client, application: Application, version: number): Promise<void> {
  const { metadata, status } = application;
  const objects = await objectsOf(client, application);
  const name = metadata.name ?? '';
  const history = status?.history ?? [];
  const ids = history.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.map((_, index) => (ids[0] as number) + index),
    `${name}: ids of the history follow each other`,
  );
  assert.equal(
    new Set(history.map(({ revision }) => revision)).size,
    history.length,
    `${name}: no deployment is recorded twice`,
  );
  const kept = objects
    .filter((object) => object.metadata.labels?.hook !== 'yes')
    .map((object) => object.metadata.name)
    .sort();
  assert.deepEqual(kept, ['kept', `only-in-${version}`], `${name}: nothing is orphaned`);
  const hooks = objects
    .filter((object) => object.metadata.labels?.hook === 'yes')
    .map((object) => object.metadata.name?.replace(/^ran-/, ''));
  assert.equal(new Set(hooks).size, hooks.length, `${name}: no hook ran twice for one operation`);
}
