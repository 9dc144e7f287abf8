import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecretValues } from './hidden-values.ts';

const path = '/api/v1/namespaces/shop/secrets/db?fieldManager=x';
const base64 = Buffer.from('MARKER').toString('base64');

test('withoutSecretValues() hides what was sent, in each form', () => {
  for (const body of [
    { stringData: { password: 'MARKER' } },
    { data: { password: base64 } },
    [{ op: 'add', path: '/data/password', value: base64 }],
  ])
    for (const told of ['MARKER', base64, JSON.stringify(`a "${base64}"`)])
      assert.doesNotMatch(
        withoutSecretValues(`{"message":"bad ${told}"}`, { path, body }),
        new RegExp(`MARKER|${base64}`),
      );
});

test('withoutSecretValues() hides what the server shows of the object as it is', () => {
  const text = JSON.stringify({
    message: 'cannot be handled: illegal base64, error found in #10 byte of ...|"MARKER"|..., bigger context ...|x|...',
  });
  const shown = withoutSecretValues(text, { path, body: {} });
  assert.deepEqual(JSON.parse(shown), { message: 'cannot be handled: illegal base64' });
  assert.equal(
    withoutSecretValues('data[x]: Invalid value: "MARKER": no', { path }),
    'data[x]: Invalid value: (hidden): no',
  );
});

test('withoutSecretValues() leaves the answers about everything else alone', () => {
  const text = 'spec.replicas: Invalid value: "MARKER"';
  for (const other of ['/api/v1/namespaces/secrets/configmaps/x', '/apis/apps/v1/namespaces/shop/deployments/secrets'])
    assert.equal(withoutSecretValues(text, { path: other, body: { a: 'MARKER' } }), text);
});
