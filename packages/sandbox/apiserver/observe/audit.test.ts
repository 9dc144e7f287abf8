import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';

interface Event {
  stage: string;
  verb: string;
  level: string;
  userAgent: string;
  user: { username: string };
  impersonatedUser?: { username: string };
  objectRef?: { resource: string; name?: string };
  responseStatus?: { code: number; reason?: string };
  requestObject?: { metadata: { name: string } };
  responseObject?: { kind: string };
  annotations?: Record<string, string>;
}

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    verbs: [get, list, watch]
  - level: Request
    resources: [{ group: "", resources: [configmaps] }]
  - level: Metadata
`;

test('what is written, by whom and with which answer is logged as the policy says', async () => {
  const events: Event[] = [];
  await using sandbox = await startSandbox({
    controllers: false,
    nodes: 0,
    audit: { log: (line) => void events.push(JSON.parse(line) as Event), policy: POLICY },
  });
  const client = connect(sandbox.config, { caller: { component: 'audit-test', purpose: 'write' } });
  const impersonated = { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
  await client.create(object);
  await assert.rejects(client.create(object));
  await client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' });
  await fetch(`${sandbox.url}/api/v1/namespaces/default/secrets/none`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${sandbox.config.bearerToken}`, ...impersonated },
  });
  await client.close();
  const seen = events.map(({ stage, verb, level, objectRef, responseStatus }) => ({
    stage,
    verb,
    level,
    what: `${objectRef?.resource} ${objectRef?.name}`,
    code: responseStatus?.code,
  }));
  assert.deepEqual(seen, [
    { stage: 'ResponseComplete', verb: 'create', level: 'Request', what: 'configmaps a', code: 201 },
    { stage: 'ResponseComplete', verb: 'create', level: 'Request', what: 'configmaps a', code: 409 },
    { stage: 'ResponseComplete', verb: 'delete', level: 'Metadata', what: 'secrets none', code: 404 },
  ]);
  assert.equal(events[0]?.requestObject?.metadata.name, 'a');
  assert.equal(events[0]?.responseObject, undefined);
  assert.equal(events[1]?.responseStatus?.reason, 'AlreadyExists');
  assert.match(events[0]?.userAgent ?? '', /audit-test/);
  assert.equal(events[0]?.annotations?.['authorization.k8s.io/decision'], 'allow');
  assert.deepEqual([events[2]?.user.username, events[2]?.impersonatedUser?.username], ['kubernetes-admin', 'jane']);
});

test('a policy that is none is refused at the start', async () => {
  await assert.rejects(startSandbox({ audit: { log: () => {}, policy: 'kind: Nope' } }), /audit policy/);
});
