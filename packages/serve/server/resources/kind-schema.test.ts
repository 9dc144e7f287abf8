import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Diagnosis } from '@tiphys/diagnosis';
import { ApiError, type Client } from '@tiphys/kubernetes';
import { readKindSchema } from './kind-schema.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const schemas = {
  Shop: {
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Shop' }],
    properties: { metadata: { allOf: [ref('Meta')] }, parts: { type: 'array', items: ref('Part') } },
  },
  Meta: { type: 'object' },
  Part: { type: 'object', additionalProperties: ref('Part') },
  Unrelated: { type: 'object' },
};

function clientOf(asked: string[]): Client {
  const request = async (_: string, path: string) => {
    asked.push(path);
    if (path === '/openapi/v3/apis/example.com/v1')
      return { status: 200, json: async () => ({ components: { schemas } }) };
    throw new ApiError({ message: 'not found' } as unknown as Diagnosis, { status: 404, reason: 'NotFound' });
  };
  return { request } as unknown as Client;
}

test('a kind comes with what its schema refers to, and nothing else', async () => {
  const asked: string[] = [];
  const found = await readKindSchema(clientOf(asked), { group: 'example.com', version: 'v1', kind: 'Shop' });
  assert.equal(found.root, 'Shop');
  assert.deepEqual(Object.keys(found.definitions).sort(), ['Meta', 'Part', 'Shop']);
});

test('what the cluster does not publish is not found, and no odd name reaches it', async () => {
  const asked: string[] = [];
  const client = clientOf(asked);
  for (const [group, version, kind] of [
    ['', 'v1', 'Pod'],
    ['example.com', 'v1', 'None'],
    ['../api', 'v1', 'Pod'],
    ['example.com', 'v1?x', 'Shop'],
    ['example.com', '', 'Shop'],
  ] as const)
    await assert.rejects(readKindSchema(client, { group, version, kind }), /publishes no schema of/);
  assert.deepEqual(asked, ['/openapi/v3/api/v1', '/openapi/v3/apis/example.com/v1']);
});
