import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import { type FakeApiServer, type Handler, sendJson, startFakeApiServer, status } from '../fake-api-server.ts';
import type { KubeObject } from '../object/object.ts';
import { ScriptedClock } from '../scripted-clock.ts';
import { connect } from './api-client.ts';
import { ApiError, isExpired } from './api-error.ts';
import type { ApiWarning } from './client.ts';

const caller = { component: 'controller', application: 'argocd/shop', purpose: 'compare' };
const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const configMap: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } };
const servers: FakeApiServer[] = [];

async function serve(handler: Handler): Promise<FakeApiServer> {
  const server = await startFakeApiServer(handler);
  servers.push(server);
  return server;
}

after(() => Promise.all(servers.map((server) => server.close())));

async function diagnosisOf(action: Promise<unknown>): Promise<Diagnosis> {
  const error = await action.then(
    () => assert.fail('should have been refused'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  return error.diagnosis;
}

test('every request says who asks, and warnings name the caller', async () => {
  const server = await serve((_, response) =>
    sendJson(response, 200, configMap, { warning: ['299 - "v1 X is deprecated", 299 - "unknown field \\"a\\""'] }),
  );
  const warnings: ApiWarning[] = [];
  const client = connect({ server: server.url }, { caller, onWarning: (warning) => warnings.push(warning) });
  await client.get(ref);
  assert.match(server.requests[0]?.headers['user-agent'] ?? '', /^tiphys\/\S+ \(controller; argocd\/shop; compare\)$/);
  assert.deepEqual(
    warnings.map(({ text, path }) => [text, path]),
    [
      ['v1 X is deprecated', '/api/v1/namespaces/shop/configmaps/web'],
      ['unknown field "a"', '/api/v1/namespaces/shop/configmaps/web'],
    ],
  );
  await client.as({ component: 'server', purpose: 'show' }).get(ref);
  assert.match(server.requests[1]?.headers['user-agent'] ?? '', /\(server; -; show\)$/);
  await client.close();
});

test('impersonation sends the user and every group', async () => {
  const server = await serve((_, response) => sendJson(response, 200, configMap));
  const client = connect({ server: server.url }, { caller }).impersonating({ name: 'jane', groups: ['dev', 'ops'] });
  await client.get(ref);
  assert.equal(server.requests[0]?.headers['impersonate-user'], 'jane');
  assert.equal(server.requests[0]?.headers['impersonate-group'], 'dev, ops');
  await client.close();
});

test('a group whose server is down hides no other group (C13)', async () => {
  const server = await serve((_, response) => sendJson(response, 404, status(404, 'NotFound', 'no')));
  const client = connect({ server: server.url }, { caller });
  assert.ok(await client.discovery.find('coordination.k8s.io/v1', 'Lease'));
  assert.deepEqual((await client.discovery.find('v1', 'ConfigMap'))?.subresources, ['status']);
  assert.match(client.discovery.unavailable().get('metrics.k8s.io/v1beta1') ?? '', /does not answer/);
  const diagnosis = await diagnosisOf(client.get({ ...ref, apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics' }));
  assert.match(diagnosis.message, /cannot be used: .*does not answer/);
  await client.close();
});

const refusals: {
  name: string;
  code: number;
  reason: string;
  message: string;
  details?: object;
  want: string;
  cause?: string;
  text: RegExp;
  field?: string;
  paste?: RegExp;
}[] = [
  {
    name: 'RBAC',
    code: 403,
    reason: 'Forbidden',
    message:
      'configmaps "web" is forbidden: User "system:serviceaccount:argocd:app" cannot get resource "configmaps" in API group "" in the namespace "shop"',
    want: 'AccessDenied',
    cause: 'C1',
    text: /system:serviceaccount:argocd:app may not get configmaps in namespace shop/,
    paste: /apiGroups: \[""\]\n {2}resources: \["configmaps"\]\n {2}verbs: \["get"\]/,
  },
  {
    name: 'quota',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3',
    want: 'QuotaExceeded',
    cause: 'C6',
    text: /shop\/q has no room: wanted pods=1, used pods=3, limit pods=3/,
  },
  {
    name: 'terminating namespace',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "a" is forbidden: unable to create new content in namespace shop because it is being terminated',
    want: 'NamespaceTerminating',
    cause: 'C12',
    text: /Namespace shop is being deleted/,
  },
  {
    name: 'pod security',
    code: 403,
    reason: 'Forbidden',
    message: 'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
    want: 'AdmissionDenied',
    text: /Pod Security Standard restricted:latest/,
  },
  {
    name: 'field manager conflict',
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict',
    details: {
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "hpa" using apps/v1', field: '.spec.replicas' },
      ],
    },
    want: 'FieldManagerConflict',
    cause: 'C9',
    text: /"hpa" using apps\/v1 owns \.spec\.replicas/,
    field: 'spec.replicas',
  },
  {
    name: 'disruption budget',
    code: 429,
    reason: 'TooManyRequests',
    message:
      "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 2 healthy pods and has 2 currently",
    want: 'EvictionBlocked',
    cause: 'S16',
    text: /PodDisruptionBudget web does not allow the eviction now/,
  },
  {
    name: 'optimistic locking',
    code: 409,
    reason: 'Conflict',
    message: 'the object has been modified',
    want: 'ObjectChanged',
    text: /Somebody else changed/,
  },
  {
    name: 'existing object',
    code: 409,
    reason: 'AlreadyExists',
    message: 'configmaps "web" already exists',
    want: 'ObjectExists',
    text: /already exists/,
  },
  {
    name: 'immutable field',
    code: 422,
    reason: 'Invalid',
    message: 'invalid',
    details: {
      causes: [
        { reason: 'FieldValueInvalid', message: 'Invalid value: {}: field is immutable', field: 'spec.selector' },
      ],
    },
    want: 'ImmutableField',
    cause: 'C8',
    text: /spec\.selector cannot be changed/,
    field: 'spec.selector',
  },
  {
    name: 'invalid fields',
    code: 422,
    reason: 'Invalid',
    message: 'invalid',
    details: {
      causes: [
        { message: 'Required value', field: 'spec.a' },
        { message: 'Invalid value: 1', field: 'spec.b' },
      ],
    },
    want: 'ObjectInvalid',
    text: /spec\.a: Required value; spec\.b: Invalid value: 1/,
    field: 'spec.a',
  },
  {
    name: 'webhook certificate',
    code: 500,
    reason: 'InternalError',
    message:
      'Internal error occurred: failed calling webhook "w.x.y": failed to call webhook: Post "https://w": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    want: 'WebhookCertificate',
    cause: 'C3',
    text: /w\.x\.y has a bad certificate: tls: failed/,
  },
  {
    name: 'webhook down',
    code: 500,
    reason: 'InternalError',
    message:
      'Internal error occurred: failed calling webhook "w.x.y": failed to call webhook: Post "https://w": no endpoints available for service "w"',
    want: 'WebhookUnavailable',
    cause: 'C4',
    text: /no endpoints available/,
  },
  {
    name: 'webhook denial',
    code: 403,
    reason: 'Forbidden',
    message: 'admission webhook "w.x.y" denied the request: no latest tags',
    want: 'AdmissionDenied',
    text: /w\.x\.y denied it: no latest tags/,
  },
  {
    name: 'webhook denial with a code of its own',
    code: 429,
    reason: 'TooManyRequests',
    message: 'admission webhook "w.x.y" denied the request: try later',
    want: 'AdmissionDenied',
    text: /w\.x\.y denied it: try later/,
  },
  {
    name: 'patch of a mutating webhook',
    code: 500,
    reason: 'InternalError',
    message:
      'Internal error occurred: replace operation does not apply: doc is missing path: /spec/nope/x: missing value',
    want: 'WebhookUnavailable',
    cause: 'C4',
    text: /A mutating webhook answers with a patch that does not fit the object: replace operation/,
  },
  {
    name: 'unknown field',
    code: 400,
    reason: 'BadRequest',
    message: 'ConfigMap in version "v1" cannot be handled: strict decoding error: unknown field "spec.foo"',
    want: 'FieldUnknown',
    cause: 'M12',
    text: /Unknown field spec\.foo/,
    field: 'spec.foo',
  },
  {
    name: 'field outside of the schema',
    code: 500,
    reason: '',
    message:
      'failed to create typed patch object (shop/web; v1, Kind=ConfigMap): .spec.foo: field not declared in schema',
    want: 'FieldUnknown',
    cause: 'M12',
    text: /Unknown field spec\.foo/,
    field: 'spec.foo',
  },
  {
    name: 'missing namespace',
    code: 404,
    reason: 'NotFound',
    message: 'namespaces "shop" not found',
    details: { kind: 'namespaces', name: 'shop' },
    want: 'NamespaceMissing',
    text: /Namespace shop does not exist/,
    paste: /kubectl create namespace shop/,
  },
  {
    name: 'refused credential',
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
    want: 'ClusterUnauthorized',
    cause: 'C17',
    text: /does not accept the credential/,
  },
];

for (const { name, code, reason, message, details, want, cause, text, field, paste } of refusals) {
  test(`a refusal is told by its cause: ${name}`, async () => {
    const server = await serve((_, response) => sendJson(response, code, status(code, reason, message, details)));
    const client = connect({ server: server.url }, { caller });
    const diagnosis = await diagnosisOf(client.create(configMap));
    assert.equal(diagnosis.code, want);
    if (cause) assert.equal(diagnosis.cause, cause);
    assert.match(diagnosis.message, text);
    assert.equal(diagnosis.place?.object, 'ConfigMap shop/web');
    if (field) assert.equal(diagnosis.place?.field, field);
    if (paste) assert.match(diagnosis.remedies.map((remedy) => remedy.paste).join('\n'), paste);
    await client.close();
  });
}

test('an answer of 429 with Retry-After is followed', async () => {
  let asked = 0;
  const server = await serve((_, response) => {
    if (asked++ === 0) sendJson(response, 429, status(429, 'TooManyRequests', 'slow down'), { 'retry-after': '1' });
    else sendJson(response, 200, configMap);
  });
  const slept: number[] = [];
  const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
  const client = connect({ server: server.url }, { caller, clock });
  assert.equal((await client.get(ref)).metadata.name, 'web');
  assert.deepEqual(slept, [1000]);
  await client.close();
});

test('find says undefined for an object that is not there, and throws for a kind that is not served', async () => {
  const server = await serve((_, response) =>
    sendJson(response, 404, status(404, 'NotFound', 'configmaps "web" not found', { name: 'web', kind: 'configmaps' })),
  );
  const client = connect({ server: server.url }, { caller });
  assert.equal(await client.find(ref), undefined);
  assert.equal((await diagnosisOf(client.find({ ...ref, kind: 'Foo' }))).code, 'KindNotServed');
  assert.equal(
    (await diagnosisOf(client.find({ ...ref, apiVersion: 'coordination.k8s.io/v2', kind: 'Lease' }))).code,
    'VersionNotServed',
  );
  await client.close();
});

test('a watch gives events as they come and throws Expired for a version that is too old', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const line = JSON.stringify({ type: 'ADDED', object: configMap });
    response.write(line.slice(0, 20));
    response.write(
      `${line.slice(20)}\n${JSON.stringify({ type: 'BOOKMARK', object: { ...configMap, metadata: { resourceVersion: '9' } } })}\n`,
    );
    response.end(
      `${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired', 'too old resource version: 1 (9)') })}\n`,
    );
  });
  const client = connect({ server: server.url }, { caller });
  const seen: string[] = [];
  const follow = async () => {
    const options = { resourceVersion: '1', signal: new AbortController().signal };
    for await (const { type, object } of client.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, options)) {
      seen.push(`${type} ${object.metadata.resourceVersion ?? object.metadata.name}`);
    }
  };
  await assert.rejects(
    follow(),
    (error) => isExpired(error) && error instanceof ApiError && error.diagnosis.cause === 'C15',
  );
  assert.deepEqual(seen, ['BOOKMARK 1', 'ADDED web', 'BOOKMARK 9']);
  assert.match(server.requests[0]?.path ?? '', /watch=true&allowWatchBookmarks=true/);
  await client.close();
});

test('a cluster that is not there is told from one whose name is unknown', async () => {
  const gone = await serve(() => undefined);
  await gone.close();
  const refused = await diagnosisOf(connect({ server: gone.url }, { caller }).get(ref));
  assert.deepEqual([refused.code, refused.cause], ['ClusterConnectionRefused', 'C17']);
  const unknown = await diagnosisOf(connect({ server: 'https://cluster.invalid' }, { caller }).get(ref));
  assert.deepEqual([unknown.code, unknown.cause], ['ClusterNameUnresolved', 'C17']);
});

test('an aborted request throws the reason of its signal', async () => {
  const server = await serve(() => undefined);
  const client = connect({ server: server.url }, { caller });
  const abort = new AbortController();
  const pending = client.get(ref, { signal: abort.signal });
  abort.abort(new Error('shutting down'));
  await assert.rejects(pending, /shutting down/);
  await client.close();
});

test('a server that answers 429 gets no other request before it asks to come back, leases apart', async () => {
  let refusing = true;
  const server = await serve((request, response) => {
    if (refusing && request.path.endsWith('/configmaps/web'))
      sendJson(response, 429, status(429, 'TooManyRequests', 'too many requests, please try again later'), {
        'retry-after': '1',
      });
    else sendJson(response, 200, configMap);
  });
  const clock = new ScriptedClock();
  const client = connect({ server: server.url }, { caller, clock });
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'shop', name: 'leader' };
  // so that all is known of both kinds
  await client.get({ ...ref, name: 'before' });
  await client.get(lease);
  const begun = server.requests.length;
  const asked = () => server.requests.slice(begun).map(({ path }) => path.split('/').at(-1));
  const first = client.get(ref);
  await clock.sleeping();
  refusing = false;
  const other = client.get({ ...ref, name: 'other' });
  await client.get(lease);
  assert.deepEqual(asked(), ['web', 'leader']);
  await clock.advance(1_000);
  await Promise.all([first, other]);
  assert.deepEqual(asked(), ['web', 'leader', 'web', 'other']);
  await client.close();
});
