import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '@bufbuild/protobuf';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { services, toWire } from '@tiphys/api';
import { defineDiagnosis, diagnose, failure } from '@tiphys/diagnosis';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const kind = defineDiagnosis('DetailsOfATest', 'Only made by a test', 'R9');
const finding = {
  message: 'the branch is not there',
  place: { remote: 'https://git.example/a.git', field: 'spec.source.targetRevision' },
  evidence: { found: 'main', wanted: 'trunk', registered: 'what others may see' },
  remedies: [{ text: 'Name a branch that is there', paste: 'targetRevision: main' }],
};
const known = {
  code: 'DetailsOfATest',
  cause: 'R9',
  message: finding.message,
  place: finding.place,
  evidence: [
    { name: 'found', value: 'main' },
    { name: 'wanted', value: 'trunk' },
  ],
  remedies: finding.remedies,
};
const app = {
  metadata: { name: 'web' },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example/a.git', path: 'p' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'n' },
  },
};

test('a refusal carries what is known of its cause beside the words of Argo CD, by gRPC and REST', async (t) => {
  const { server, call, login } = await startTestServer(t, {
    backend: { ...idleBackend, checkSources: async () => [diagnose(kind, finding)] },
  });
  const token = await login();
  const words =
    'application spec for web is invalid: InvalidSpecError: the branch is not there (field spec.source.targetRevision, https://git.example/a.git)';
  const answer = await call('/api/v1/applications', { token, body: app });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body, {
    error: words,
    code: 3,
    message: words,
    details: [{ '@type': 'type.googleapis.com/google.protobuf.Struct', value: known }],
  });
  const transport = createGrpcTransport({ baseUrl: server.url });
  const client = createClient(services.application, transport);
  const request = toWire(services.application.method.create.input, { application: app });
  const error = await client.create(request as never, { headers: { token } }).then(
    () => assert.fail('it was created'),
    (refusal: unknown) => ConnectError.from(refusal),
  );
  assert.deepEqual([error.code, error.rawMessage], [Code.InvalidArgument, words]);
  assert.deepEqual(
    error.findDetails(StructSchema).map((detail) => toJson(StructSchema, detail)),
    [known],
  );
});

test('what is too long for a trailer is left out, and the words stay', async (t) => {
  const long = { ...finding, remedies: ['x'.repeat(5_000)] };
  const { call, login } = await startTestServer(t, {
    backend: {
      ...idleBackend,
      tree: async () => {
        throw failure(kind, long);
      },
    },
  });
  const token = await login();
  await call('/api/v1/applications', { token, body: app });
  const { status, body } = await call('/api/v1/applications/web/resource-tree', { token });
  assert.deepEqual([status, body.details], [500, undefined]);
  assert.match(String(body.message), /the branch is not there/);
});
