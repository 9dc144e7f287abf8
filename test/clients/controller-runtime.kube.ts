import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { before, describe, test } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { GoProgram } from './go-program.ts';
import { servers } from './servers.ts';

const program = new GoProgram('controller');

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'Site', listKind: 'SiteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { title: { type: 'string' } } },
              status: {
                type: 'object',
                properties: { shown: { type: 'string' }, observedGeneration: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
};

/** An operator as most are: finalizers, owner references, patches of the status, predicates, an index, a leader. */
describe('An operator made with controller-runtime', { skip: program.skip, timeout: 900_000 }, () => {
  before(() => program.build());

  for (const [name, start] of Object.entries(servers))
    test(`keeps what belongs to its objects on ${name}`, async () => {
      const server = await start();
      const client = connect(server.config, { caller: { component: 'test', purpose: 'test' } });
      const namespace = `operator-${process.pid}`;
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await client.create(definition);
      await until(client, { apiVersion: definition.apiVersion, kind: definition.kind }, 'sites.example.com', (crd) =>
        Boolean(conditions(crd).find(({ type, status }) => type === 'Established' && status === 'True')),
      );
      const child = spawn(program.file, [server.file, namespace], { stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = once(child, 'close');
      let printed = '';
      let logged = '';
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk));
      child.stderr.on('data', (chunk: Buffer) => (logged += chunk));
      try {
        const site = { apiVersion: 'example.com/v1', kind: 'Site', namespace };
        const made = { ...site, metadata: { name: 'last', namespace }, spec: { title: 'first' } };
        const { namespace: _, ...object } = made;
        await client.create(object);
        const shown = (title: string) => (found: KubeObject) => (found.status as { shown?: string })?.shown === title;
        await until(client, site, 'last', shown('first'));
        await client.patch({ ...site, name: 'last' }, 'merge', { spec: { title: 'second' } });
        const found = await until(client, site, 'last', shown('second'));
        assert.deepEqual(found.metadata.finalizers, ['example.com/goodbye']);
        const map = { apiVersion: 'v1', kind: 'ConfigMap', namespace };
        // what somebody else removes is made again
        await client.delete({ ...map, name: 'last' });
        const page = await until(client, map, 'last', ({ metadata }) => metadata.deletionTimestamp === undefined);
        assert.equal(page.metadata.ownerReferences?.[0]?.kind, 'Site');
        await client.delete({ ...site, name: 'last' });
        assert.equal((await ended)[0], 0, logged);
        assert.match(printed, /^created last first\nupdated last second\ncreated last second\ngoodbye last\n$/, logged);
      } finally {
        child.kill();
        await client.delete({
          apiVersion: definition.apiVersion,
          kind: definition.kind,
          name: definition.metadata.name,
        });
        await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
        await client.close();
        await server.close();
      }
    });
});

function conditions({ status }: KubeObject): { type: string; status: string }[] {
  return (status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
}

/** Waits by watching until the object is there and as wanted. */
async function until(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace?: string },
  name: string,
  wanted: (object: KubeObject) => boolean,
): Promise<KubeObject> {
  const fieldSelector = `metadata.name=${name}`;
  const { items, metadata } = await client.list(ref, { fieldSelector });
  const [known] = items;
  if (known && wanted(known)) return known;
  const resourceVersion = metadata.resourceVersion ?? '';
  for await (const { type, object } of client.watch(ref, {
    fieldSelector,
    resourceVersion,
    signal: AbortSignal.timeout(180_000),
  }))
    if ((type === 'ADDED' || type === 'MODIFIED') && wanted(object as KubeObject)) return object as KubeObject;
  throw new Error(`${ref.kind} ${name} was not as wanted`);
}
