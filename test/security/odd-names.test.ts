import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSelector } from '../../packages/serve/server/applications/label-selector.ts';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';

/** Names that every object has without having been given them. */
const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'prototype', 'then', 'length'];

test('names that every object has are names like others at every entrance', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  const told: string[] = [];
  const expect = async (what: string, statuses: readonly number[], asked: ReturnType<typeof call>) => {
    const { status, body } = await asked;
    const text = JSON.stringify(body);
    if (!statuses.includes(status) || /function|native code|did not expect|TypeError|at file:/.test(text))
      told.push(`${what}: ${status} ${text.slice(0, 200)}`);
  };
  for (const name of names) {
    await expect(`login as ${name}`, [401], call('/api/v1/session', { body: { username: name, password: 'x' } }));
    await expect(`keys of login ${name}`, [400, 401], call('/api/v1/session', { body: `{"${name}": {"a": 1}}` }));
    for (const path of ['account', 'projects', 'applications', 'clusters', 'repositories', 'applicationsets'])
      await expect(`${path} ${name}`, [403, 404, 400, 200], call(`/api/v1/${path}/${name}`, { token }));
    const selector = name.startsWith('_') ? [500] : [200];
    await expect(`selector ${name}`, selector, call(`/api/v1/applications?selector=${name}`, { token }));
    for (const query of ['projects', 'name', 'repo', 'fields', 'appNamespace', name, `${name}.${name}`, `a[${name}]`])
      await expect(`?${query}=${name}`, [200, 400, 403], call(`/api/v1/applications?${query}=${name}`, { token }));
    const { body } = await call(`/api/v1/applications?selector=${name}`, { token });
    assert.deepEqual((body.items as unknown[] | null) ?? [], [], `selector ${name}`);
    await expect(`can-i ${name}`, [200, 400, 403], call(`/api/v1/account/can-i/${name}/${name}/${name}`, { token }));
    await expect(`method ${name}`, [404, 501, 405], call(`/api/v1/${name}`, { token }));
    await expect(
      `header ${name}`,
      [200],
      call('/api/v1/applications', { token, headers: { [`x-${name}`]: name, cookie: `${name}=${name}` } }),
    );
    await expect(
      `webhook ${name}`,
      [200, 400, 401],
      call('/api/webhook', {
        body: `{"${name}": {"${name}": []}, "repository": "${name}"}`,
        headers: { 'x-github-event': name },
      }),
    );
    const application = {
      metadata: { name: name.toLowerCase().replaceAll('_', 'x'), labels: { [name]: name } },
      spec: {
        project: name,
        source: {
          repoURL: name,
          path: name,
          helm: { parameters: [{ name, value: name }], valuesObject: JSON.parse(`{"${name}": 1}`) },
        },
        destination: { server: name },
      },
    };
    await expect(`application ${name}`, [400, 403, 404], call('/api/v1/applications', { token, body: application }));
    await expect(
      `project ${name}`,
      [200, 400, 409],
      call('/api/v1/projects', {
        token,
        body: {
          project: { metadata: { name: 'p' }, spec: { roles: [{ name, policies: [name] }], description: name } },
        },
      }),
    );
  }
  assert.deepEqual(told, []);
});

test('selectors hold for labels that are there', () => {
  for (const name of names.filter((candidate) => !candidate.startsWith('_'))) {
    assert.equal(parseSelector(name)({}), false);
    assert.equal(parseSelector(`!${name}`)({}), true);
    assert.equal(parseSelector(`${name}=x`)({}), false);
    assert.equal(parseSelector(`${name} in (x)`)({}), false);
    assert.equal(parseSelector(name)({ [name]: '' }), true);
  }
});
