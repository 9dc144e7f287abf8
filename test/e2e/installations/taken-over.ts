import assert from 'node:assert/strict';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import type { World } from '../support/world.ts';

/** Creates objects as another deliverer left them, definitions before what they define; gives them as they are stored. */
export async function createLive(world: World, live: readonly KubeObject[]): Promise<KubeObject[]> {
  for (const object of live) {
    await world.client.create(object);
    if (object.kind !== 'CustomResourceDefinition') continue;
    await world.waitFor(refOf(object), 'established', (definition) =>
      JSON.stringify(definition?.status ?? {}).includes('"type":"Established"'),
    );
  }
  return await Promise.all(live.map((object) => world.client.get(refOf(object))));
}

/** Waits until a recorded application is compared anew with the same result; fails if it was synced for that. */
export async function assertRecognised(
  world: World,
  { metadata, status }: Application,
  { repository, commit }: { repository: string; commit: string },
): Promise<void> {
  const { name = '', namespace = '' } = metadata;
  const wanted = status?.sync?.status;
  const now = await world.waitFor<Application>(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name },
    `${name} recognised as ${wanted}`,
    (app) => {
      const seen = app?.status?.sync;
      const isNew = (app?.status?.reconciledAt ?? '') > (status?.reconciledAt ?? '');
      const inGit = JSON.stringify(status?.sync?.comparedTo ?? {}).includes(repository);
      return seen?.status === wanted && isNew && (!inGit || JSON.stringify(seen).includes(commit));
    },
    (app) => JSON.stringify(app?.status, undefined, 1),
  );
  assert.equal(now?.status?.history?.length, status?.history?.length, `${name} was not synced again`);
  assert.equal(now?.operation, undefined, name);
  assert.deepEqual(now?.metadata.finalizers, metadata.finalizers, name);
}

/** Fails if anything was written to an object. */
export async function assertUnchanged(world: World, was: KubeObject): Promise<void> {
  const now = await world.client.get(refOf(was));
  const id = `${was.kind} ${was.metadata.name}`;
  // the controllers of Deployments write a revision and a status of their own
  const own = ({ metadata: { annotations = {} } }: KubeObject) => {
    const { 'deployment.kubernetes.io/revision': _revision, ...rest } = annotations;
    return rest;
  };
  if (was.kind === 'Deployment') return assert.deepEqual([own(now), now.spec], [own(was), was.spec], id);
  assert.equal(generationOf(now), generationOf(was), id);
  assert.deepEqual(now.metadata.managedFields, was.metadata.managedFields, id);
  assert.equal(now.metadata.resourceVersion, was.metadata.resourceVersion, `${id} changed`);
}

function generationOf({ metadata }: KubeObject): number | undefined {
  return (metadata as KubeObject['metadata'] & { generation?: number }).generation;
}

function refOf({ apiVersion, kind, metadata: { namespace, name = '' } }: KubeObject) {
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
}
