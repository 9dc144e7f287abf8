import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiSession } from './api-session.ts';
import { ApplicationApi } from './application-api.ts';

const refusal = 'app is not allowed in project "ghost", or the project does not exist';

/** A session whose server refuses the application itself and lists these. */
function sessionOf(message: string, items: object[]): { session: ApiSession; asked: string[] } {
  const asked: string[] = [];
  const request = async (_method: string, path: string, { query }: { query: { name?: string } }) => {
    asked.push(`${path}?${query.name ?? ''}`);
    if (path !== '/api/v1/applications') throw new Error(message);
    return { items };
  };
  return { session: { request } as unknown as ApiSession, asked };
}

test('an application of a missing project is taken from the list, with what tells of it', async () => {
  const shop = { metadata: { name: 'shop' }, status: { diagnoses: [{ code: 'ProjectNotFound' }] } };
  const { session, asked } = sessionOf(refusal, [shop]);
  assert.deepEqual(await new ApplicationApi(session).get({ name: 'shop' }), shop);
  assert.deepEqual(asked, ['/api/v1/applications/shop?', '/api/v1/applications?shop']);
});

test('one that the caller cannot list, and every other refusal, stays refused', async () => {
  await assert.rejects(new ApplicationApi(sessionOf(refusal, []).session).get({ name: 'shop' }), /is not allowed/);
  const { session, asked } = sessionOf('permission denied', [{}]);
  await assert.rejects(new ApplicationApi(session).get({ name: 'shop' }), /permission denied/);
  assert.equal(asked.length, 1);
});
