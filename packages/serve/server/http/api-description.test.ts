import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApi } from './api-description.ts';

type Described = {
  paths: Record<string, Record<string, { operationId: string; parameters: { name: string; in: string }[] }>>;
  definitions: Record<string, { properties: Record<string, unknown> }>;
};

test('the description of the API has every route, its parameters, and only types that it defines', () => {
  const { paths, definitions } = describeApi('1') as Described;
  assert.equal(
    paths['/api/v1/applications/{application.metadata.name}']?.put?.operationId,
    'ApplicationService_Update',
  );
  assert.deepEqual(
    paths['/api/v1/projects/{name}/syncwindows']?.get?.parameters.map(({ name, in: where }) => [name, where]),
    [['name', 'path']],
  );
  assert.deepEqual(definitions['v1alpha1.SyncWindow']?.properties.applications, {
    type: 'array',
    items: { type: 'string' },
  });
  const named = [...JSON.stringify({ paths, definitions }).matchAll(/#\/definitions\/([^"]+)/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(
    named.filter((name) => !((name as string) in definitions)),
    [],
  );
});
