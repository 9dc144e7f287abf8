import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { issueCertificate } from '@tiphys/pki';
import { startSandbox } from '@tiphys/sandbox';

const cluster = await startSandbox({ nodes: 0, controllers: false });
const client = connect(cluster.config, { caller: { component: 'test', purpose: 'test' } });
const stops: (() => void)[] = [];
after(async () => {
  for (const stop of stops) stop();
  await client.close();
  await cluster.close();
});

const operation = (of: string) => ({
  description: 'list',
  operationId: `list${of}`,
  consumes: ['*/*'],
  produces: ['application/json'],
  parameters: [
    { name: 'body', in: 'body', required: true, schema: { $ref: `#/definitions/${of}` } },
    { name: 'limit', in: 'query', type: 'integer', uniqueItems: true },
  ],
  responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${of}` } } },
});
const documentV2 = (group: string) => ({
  swagger: '2.0',
  info: { title: 'remote', version: '1' },
  paths: {
    [`/apis/${group}/v1/things`]: { get: operation('thing') },
    [`/apis/${group}/v2/things`]: { get: operation('newer') },
    '/version': { get: operation('version') },
  },
  definitions: {
    thing: {
      type: 'object',
      properties: {
        part: { $ref: '#/definitions/part', description: 'd' },
        meta: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time' },
      },
      'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind: 'Thing' }],
    },
    part: { type: 'string', description: group },
    newer: { type: 'object' },
    version: { type: 'object' },
    'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', description: 'another one' },
  },
});

/** A server of `things` of a group, with the documents given by path. */
async function serve(group: string, documents: Record<string, unknown>): Promise<void> {
  const ca = { ...issueCertificate({ commonName: 'ca', use: 'ca', now: Date.now() }), commonName: 'ca' };
  const hosts = ['remote.default.svc'];
  const certificate = issueCertificate({ commonName: 'remote', hosts, use: 'server', now: Date.now(), issuer: ca });
  const server = createServer(certificate, ({ url = '', headers }, response) => {
    const path = url.replace(/\?.*/, '');
    const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources: [] };
    const body = path === `/apis/${group}/v1` ? list : documents[path];
    response.writeHead(body ? 200 : 404, {
      'content-type': 'application/json',
      'x-user': String(headers['x-remote-user']),
    });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const name = group.replaceAll('.', '-');
  const service = { name, namespace: 'default', port };
  await client.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port }] },
  } as KubeObject);
  await client.create({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service,
      insecureSkipTLSVerify: true,
    },
  } as KubeObject);
}

const json = async <T>(path: string): Promise<T> => (await (await client.request('GET', path)).json()) as T;

/** Asks until the answer fits: documents are downloaded after a server has become available. */
async function until<T>(path: string, fits: (value: T) => boolean): Promise<T> {
  for (let left = 1200; ; left--) {
    const value = await json<T>(path);
    if (fits(value) || left === 0) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Root {
  paths: Record<string, { serverRelativeURL: string }>;
}
interface V2 {
  paths: Record<string, unknown>;
  definitions: Record<string, Record<string, unknown>>;
}

function propertyOf(schema: Record<string, unknown> | undefined, name: string): unknown {
  return (schema?.properties as Record<string, unknown> | undefined)?.[name];
}

test('documents of aggregated servers are merged into those of this one', async () => {
  const v3 = { openapi: '3.0.0', info: { title: 'its own' }, paths: {} };
  await serve('new.example.com', {
    '/openapi/v2': documentV2('new.example.com'),
    '/openapi/v3': {
      paths: {
        'apis/new.example.com/v1': { serverRelativeURL: '/openapi/v3/apis/new.example.com/v1?hash=1' },
        version: { serverRelativeURL: '/x' },
      },
    },
    '/openapi/v3/apis/new.example.com/v1': v3,
  });
  const { paths } = await until<Root>('/openapi/v3', (root) => 'apis/new.example.com/v1' in root.paths);
  assert.equal(paths['apis/new.example.com/v1']?.serverRelativeURL, '/openapi/v3/apis/new.example.com/v1?hash=1');
  assert.match(paths.version?.serverRelativeURL ?? '', /^\/openapi\/v3\/version\?hash=/);
  const answer = await client.request('GET', '/openapi/v3/apis/new.example.com/v1?hash=1');
  assert.equal(answer.headers.get('x-user'), 'kubernetes-admin');
  assert.deepEqual(await answer.json(), v3);

  const merged = await json<V2>('/openapi/v2');
  assert.ok(merged.paths['/apis/new.example.com/v1/things']);
  assert.equal(merged.paths['/apis/new.example.com/v2/things'], undefined);
  assert.equal(merged.definitions.newer, undefined);
  assert.equal(merged.definitions.part?.description, 'new.example.com');
  const time = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';
  assert.equal(merged.definitions[`${time}_v2`]?.description, 'another one');
  assert.match(String(merged.definitions[time]?.description), /wrapper around time.Time/);
  assert.deepEqual(propertyOf(merged.definitions.thing, 'meta'), {
    $ref: `#/definitions/${time}_v2`,
  });
  const { headers } = await client.request('GET', '/openapi/v2');
  assert.ok(headers.get('etag'));
});

test('a server without OpenAPI v3 has it made of its v2', async () => {
  await serve('old.example.com', { '/openapi/v2': documentV2('old.example.com') });
  await until<Root>('/openapi/v3', (root) => 'apis/old.example.com/v1' in root.paths);
  const { paths, components } = await json<{
    paths: Record<string, { get: unknown }>;
    components: { schemas: V2['definitions'] };
  }>('/openapi/v3/apis/old.example.com/v1');
  const schema = { $ref: '#/components/schemas/thing' };
  assert.deepEqual(paths['/apis/old.example.com/v1/things']?.get, {
    description: 'list',
    operationId: 'listthing',
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', uniqueItems: true } }],
    requestBody: { content: { '*/*': { schema } } },
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
  });
  assert.deepEqual(propertyOf(components.schemas.thing, 'part'), {
    description: 'd',
    allOf: [{ $ref: '#/components/schemas/part' }],
  });

  await client.delete({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1.old.example.com' });
  await until<Root>('/openapi/v3', (root) => !('apis/old.example.com/v1' in root.paths));
  assert.ok(!('/apis/old.example.com/v1/things' in (await json<V2>('/openapi/v2')).paths));
});
