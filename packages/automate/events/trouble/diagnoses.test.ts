import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { actionFailure, busFailure, podNeeded, senderFailure } from './diagnoses.ts';
import { endpointOf } from './endpoints.ts';
import { Troubles } from './troubles.ts';

const sensor = 'argoproj.io/Sensor work/x';

test('what an account may not do is TriggerNotPermitted, with the rule to paste', () => {
  const denied = failure(
    { code: 'AccessDenied', cause: 'C1', summary: '' },
    {
      message: 'system:serviceaccount:work:weak may not create configmaps in namespace work',
      remedies: [{ text: 'Add this rule', paste: '- verbs: [create]' }],
    },
  );
  const { code, cause, message, remedies, causes } = actionFailure('act', denied, sensor);
  assert.deepEqual([code, cause], ['TriggerNotPermitted', 'E6']);
  assert.match(message, /^Trigger act fails: system:serviceaccount:work:weak may not create/);
  assert.equal(remedies[0]?.paste, '- verbs: [create]');
  assert.equal(causes?.[0]?.code, 'AccessDenied');
});

test('a failure that is no diagnosis keeps its own words, and gets a remedy', () => {
  const { code, message, remedies } = actionFailure('act', new Error('socket hang up'), sensor);
  assert.equal(code, 'TriggerFailed');
  assert.equal(message, 'Trigger act fails: socket hang up');
  assert.equal(remedies.length, 1);
});

test('a bus that throws anything is named with its address; what is a diagnosis already stays', () => {
  const unreachable = busFailure(new Error('connection refused'), 'default', 'nats://127.0.0.1:4222');
  assert.equal(unreachable.message, 'EventBus default cannot be reached at nats://127.0.0.1:4222: connection refused');
  const kind = defineDiagnosis('TestBusKeyMissing', 'For tests');
  assert.equal(busFailure(failure(kind, { message: 'no key' }), 'default', undefined).code, 'TestBusKeyMissing');
});

test('addresses are told without credentials', () => {
  assert.equal(endpointOf({ url: 'amqp://user:MARKER@mq:5672' }), 'amqp://mq:5672');
  assert.equal(endpointOf({ brokers: ['a:9092', 'b:9092'] }), 'a:9092, b:9092');
  assert.equal(endpointOf({ subject: 's' }), undefined);
});

test('troubles tell of a change alone, and end with what they were about', () => {
  let changes = 0;
  const troubles = new Troubles(() => void changes++);
  const failed = (message: string) => actionFailure('act', new Error(message), sensor);
  troubles.set('act', failed('a'));
  troubles.set('act', failed('a'));
  troubles.set('act', failed('b'));
  assert.equal(changes, 2);
  assert.equal(troubles.list().length, 1);
  troubles.clear('act');
  troubles.clear('act');
  assert.equal(changes, 3);
  assert.deepEqual(troubles.list(), []);
});

test('what only a pod has is told where there is none', () => {
  const volumes = [{ name: 'in', hostPath: { path: '/in' } }];
  const template = {
    serviceAccountName: 'a',
    volumes,
    container: { env: [], volumeMounts: [{ name: 'in' }], resources: {} },
  };
  const told = podNeeded({ template, replicas: 2, revisionHistoryLimit: 1 }, sensor);
  assert.equal(
    told?.message,
    'spec.template.container.volumeMounts, spec.template.volumes, spec.replicas, spec.revisionHistoryLimit have no effect in the process of the controller',
  );
  assert.equal(told?.place?.field, 'spec.template.container.volumeMounts');
  assert.match(String(told?.remedies[0]?.text), /TIPHYS_EVENTS_DEPLOYMENT=dedicated/);
  assert.match(
    podNeeded({ template: { nodeSelector: { a: 'b' } } }, sensor)?.message ?? '',
    /^spec.template.nodeSelector has /,
  );
  const plain = { serviceAccountName: 'a', container: { resources: {} } };
  assert.equal(podNeeded({ template: plain, replicas: 1 }, sensor), undefined);
  assert.equal(podNeeded({}, sensor), undefined);
});

test('a sender is refused for its secret, for having none, or for its time, each with its own remedy', () => {
  const where = { event: 'push', object: 'argoproj.io/EventSource work/x', secret: 'key token of Secret hook' };
  const told = (header: string, given: boolean, stale = false) => {
    const { message, remedies } = senderFailure({ header, given, stale, from: '10.0.0.9' }, where);
    return [message.replace(/^Requests for event push are refused: /, ''), remedies.map(({ text }) => text).join('\n')];
  };
  const [signature, body] = told('X-Hub-Signature', true);
  assert.match(String(signature), /^X-Hub-Signature was made with another secret/);
  assert.match(String(body), /key token of Secret hook.*no proxy change the body/s);
  const [token, plain] = told('X-Gitlab-Token', true);
  assert.equal(token, 'X-Gitlab-Token holds another token');
  assert.doesNotMatch(String(plain), /proxy/);
  assert.match(String(told('Authorization', false)[0]), /^they come without Authorization/);
  const [time, clocks] = told('X-Slack-Signature', true, true);
  assert.match(String(time), /another time/);
  assert.doesNotMatch(String(clocks), /secret/);
});
