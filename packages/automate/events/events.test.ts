import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Diagnosis } from '@tiphys/diagnosis';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { parse } from 'yaml';
import { freePort } from '../../../scripts/testing/free-ports.ts';
import { type EventsRuntime, startEvents } from './index.ts';

const timeout = 120_000;
const namespace = 'work';

interface Received {
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** A server that records what it is sent, and answers as it is told. */
class Recorder {
  readonly received: Received[] = [];
  answers: number[] = [];
  #wake: (() => void)[] = [];
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    this.received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString(), headers: request.headers });
    response.writeHead(this.answers.shift() ?? 200).end();
    for (const wake of this.#wake.splice(0)) wake();
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async until(path: string, count: number): Promise<Received[]> {
    const deadline = Date.now() + timeout;
    for (;;) {
      const found = this.received.filter((one) => one.path === path);
      if (found.length >= count) return found;
      if (Date.now() > deadline)
        throw new Error(`waited for ${count} of ${path}, got ${JSON.stringify(this.received)}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake.push(resolve);
      const timer = setTimeout(resolve, 1000);
      await promise;
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe('events on the sandbox', () => {
  let sandbox: Sandbox;
  let client: Client;
  let events: EventsRuntime;
  let base: string;
  let port: number;
  const recorder = new Recorder();
  const errors: string[] = [];

  before(async () => {
    sandbox = await startSandbox({ controllers: false, nodes: 0 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'events' } });
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    base = await recorder.open();
    port = await freePort();
    events = await startEvents({
      client,
      namespace: 'default',
      clock: systemClock,
      signal: new AbortController().signal,
      onError: (key, error) => errors.push(`${key}: ${error}`),
      env: {},
      sandbox: true,
      host: '127.0.0.1',
      scratch: '/nonexistent',
      random: () => 0,
    });
  });
  after(async () => {
    await events?.close();
    recorder.close();
    await client?.close();
    await sandbox?.close();
  });

  const apply = async (text: string) => {
    const object = parse(text) as KubeObject;
    object.apiVersion ??= 'argoproj.io/v1alpha1';
    object.metadata.namespace = namespace;
    return client.create(object);
  };
  const waitFor = async (kind: string, name: string, holds: (object: KubeObject | undefined) => boolean) => {
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind, namespace, name };
    const signal = AbortSignal.timeout(timeout);
    for (;;) {
      const list = await client.list(ref, { fieldSelector: `metadata.name=${name}` });
      if (holds(list.items[0])) return list.items[0];
      const options = {
        resourceVersion: list.metadata.resourceVersion ?? '0',
        fieldSelector: `metadata.name=${name}`,
        signal,
      };
      for await (const { type } of client.watch(ref, options)) if (type !== 'BOOKMARK') break;
      if (signal.aborted)
        throw new Error(`waited for ${kind} ${name}: ${JSON.stringify(list.items[0]?.status)} ${errors.join('\n')}`);
    }
  };
  const conditionsOf = (object: KubeObject | undefined) =>
    (object?.status as { conditions?: { type: string; status: string; reason?: string; message?: string }[] })
      ?.conditions ?? [];
  const ready = (kind: string, name: string) =>
    waitFor(kind, name, (object) => {
      const conditions = conditionsOf(object);
      return conditions.length > 0 && conditions.every(({ status }) => status === 'True');
    });
  const post = (path: string, body: string, type = 'application/json') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers: { 'content-type': type } });

  it('takes a webhook, filters it, and acts with its parameters', async () => {
    await apply(`{kind: EventBus, metadata: {name: default}, spec: {nats: {native: {auth: token}}}}`);
    await ready('EventBus', 'default');
    await apply(`
kind: EventSource
metadata: {name: hooks}
spec:
  webhook:
    push: {port: "${port}", endpoint: /push, method: POST}
    other: {port: "${port}", endpoint: /other, method: POST, filter: {expression: "body.n > 5"}}
`);
    await ready('EventSource', 'hooks');
    await apply(`
kind: Sensor
metadata: {name: acts}
spec:
  dependencies:
    - name: push
      eventSourceName: hooks
      eventName: push
      transform: {jq: '.body.upper = (.body.name | ascii_upcase)'}
      filters: {data: [{path: body.branch, type: string, value: [main]}]}
    - {name: other, eventSourceName: hooks, eventName: other}
  triggers:
    - template:
        name: http
        conditions: push
        http:
          url: ${base}/http
          method: POST
          headers: {X-Own: "yes"}
          dynamicHeaders: [{src: {dependencyName: push, dataKey: body.name}, dest: X-Name}]
          payload:
            - {src: {dependencyName: push, dataKey: body.upper}, dest: name}
            - {src: {dependencyName: push, dataKey: body.n, useRawData: true}, dest: deep.n}
    - template:
        name: object
        conditions: push
        k8s:
          operation: create
          source:
            resource: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: made-}, data: {name: x}}
          parameters: [{src: {dependencyName: push, dataTemplate: '{{ .Input.body.name | title }}'}, dest: data.name}]
    - template:
        name: both
        conditions: push && other
        http: {url: "${base}/both", payload: [{src: {dependencyName: push, dataKey: body.name}, dest: a}, {src: {dependencyName: other, dataKey: body.n}, dest: b}]}
    - template: {name: logs, conditions: push, log: {}}
`);
    await ready('Sensor', 'acts');
    assert.equal((await post('/push', '{"name":"web","branch":"dev","n":1}')).status, 200);
    assert.equal((await post('/push', 'Invalid JSON')).status, 400);
    assert.equal((await post('/push', '{"name":"web","branch":"main","n":1.5}')).status, 200);
    const [request] = await recorder.until('/http', 1);
    assert.equal(request?.body, '{"name":"WEB","deep":{"n":1.5}}');
    assert.deepEqual([request?.headers['x-own'], request?.headers['x-name']], ['yes', 'web']);
    await post('/other', '{"n":3}');
    await post('/other', '{"n":7}');
    const [both] = await recorder.until('/both', 1);
    assert.equal(both?.body, '{"a":"web","b":"7"}');
    const maps = await client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace });
    const made = maps.items.filter(({ metadata }) => metadata.name?.startsWith('made-'));
    assert.equal(made.length, 1);
    assert.deepEqual(made[0]?.data, { name: 'Web' });
    assert.equal(made[0]?.metadata.labels?.['events.argoproj.io/sensor'], 'acts');
  });

  it('tells why nothing happened', async () => {
    const texts = events.access
      .ways({ namespace, eventSource: 'hooks' })
      .flatMap(({ steps }) => steps.map(({ kind, text }) => `${kind}: ${text}`));
    assert.ok(texts.includes('refused: filter data: body.branch is "dev", wanted string = "main"'), texts.join('\n'));
    assert.ok(texts.includes('dropped: filter.expression "body.n > 5" is false'), texts.join('\n'));
    assert.ok(texts.includes('waiting: the condition waits for other'), texts.join('\n'));
  });

  it('takes events by hand, and has the last ones come again', async () => {
    const push = { namespace, source: 'hooks', event: 'push' };
    const id = await events.access.send(push, '{"header": {}, "body": {"branch": "main", "name": "by-hand", "n": 9}}');
    assert.equal(events.access.way(namespace, id)?.steps[0]?.text, 'sent by hand');
    await assert.rejects(events.access.send(push, '{'), { message: /no JSON/ });
    await assert.rejects(events.access.send({ ...push, event: 'pull' }, '{}'), { message: /it has push/ });
    await assert.rejects(events.access.send({ ...push, source: 'none' }, '{}'), {
      message: /there is no EventSource none/,
    });
    const [again, ...more] = await events.access.replay(push, 1);
    assert.equal(more.length, 0);
    assert.notEqual(again, id);
    assert.equal(events.access.way(namespace, again ?? '')?.steps[0]?.text, `replay of ${id}`);
  });

  it('retries, gives up, and hands over to the dead letters', async () => {
    await apply(`
kind: Sensor
metadata: {name: fails}
spec:
  dependencies: [{name: push, eventSourceName: hooks, eventName: push}]
  triggers:
    - atLeastOnce: true
      retryStrategy: {steps: 3, duration: 1ms, jitter: 0}
      policy: {status: {allow: [200]}}
      template: {name: fail, http: {url: "${base}/fail"}}
      dlqTrigger:
        atLeastOnce: true
        template: {name: dead, http: {url: "${base}/dead", payload: [{src: {dependencyName: push, dataKey: body.id}, dest: ""}]}}
`);
    await ready('Sensor', 'fails');
    recorder.answers = [500, 500, 500];
    await post('/push', '{"id":"first"}');
    const [dead] = await recorder.until('/dead', 1);
    assert.equal(dead?.body, 'first');
    assert.equal(recorder.received.filter(({ path }) => path === '/fail').length, 3);
  });

  it('hears of objects and of the calendar', async () => {
    await apply(`
kind: EventSource
metadata: {name: cluster}
spec:
  calendar: {tick: {interval: 1s, metadata: {a: b}}}
  resource:
    maps:
      {group: "", version: v1, resource: configmaps, namespace: ${namespace}, eventTypes: [ADD, UPDATE, DELETE],
       filter: {afterStart: true, labels: [{key: watch, value: "yes"}], fields: [{key: data.color, operation: ==, value: "^r"}]}}
`);
    await ready('EventSource', 'cluster');
    await apply(`
kind: Sensor
metadata: {name: hears}
spec:
  dependencies:
    - {name: tick, eventSourceName: cluster, eventName: tick}
    - {name: maps, eventSourceName: cluster, eventName: maps}
  triggers:
    - template: {name: tick, conditions: tick, http: {url: "${base}/tick", payload: [{src: {dependencyName: tick, dataKey: metadata.a}, dest: a}]}}
    - template: {name: maps, conditions: maps, http: {url: "${base}/maps", payload: [{src: {dependencyName: maps, dataTemplate: "{{ .Input.type }} {{ .Input.body.metadata.name }}"}, dest: ""}]}}
`);
    await ready('Sensor', 'hears');
    for (const [name, color] of [
      ['one', 'red'],
      ['two', 'blue'],
    ] as const)
      await client.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, labels: { watch: 'yes' } },
        data: { color },
      });
    await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'one' });
    const seen = await recorder.until('/maps', 2);
    assert.deepEqual(
      seen.map(({ body }) => body),
      ['ADD one', 'DELETE one'],
    );
    assert.equal((await recorder.until('/tick', 1))[0]?.body, '{"a":"b"}');
  });

  it('tells what is wrong, and lets go of what is deleted', async () => {
    await apply(`{kind: Sensor, metadata: {name: wrong}, spec: {dependencies: [], triggers: []}}`);
    const wrong = await waitFor('Sensor', 'wrong', (object) =>
      conditionsOf(object).some(({ status }) => status === 'False'),
    );
    assert.deepEqual(
      conditionsOf(wrong).map(({ type, status, reason }) => [type, status, reason]),
      [
        ['DependenciesProvided', 'False', 'InvalidDependencies'],
        ['Deployed', 'Unknown', undefined],
        ['TriggersProvided', 'Unknown', undefined],
      ],
    );
    const diagnosesOf = (object: KubeObject | undefined) =>
      (object?.status as { diagnoses?: Diagnosis[] } | undefined)?.diagnoses ?? [];
    assert.deepEqual(
      diagnosesOf(wrong).map(({ code, place, remedies }) => [code, place?.field, remedies.length]),
      [['EventsSpecInvalid', 'spec.dependencies', 1]],
    );
    await apply(`{kind: EventBus, metadata: {name: wrong}, spec: {jetstream: {replicas: 3}}}`);
    const bus = await waitFor('EventBus', 'wrong', (object) =>
      conditionsOf(object).some(({ status }) => status === 'False'),
    );
    assert.equal(diagnosesOf(bus)[0]?.place?.field, 'spec.jetstream.version');
    await apply(
      `{kind: Sensor, metadata: {name: lost}, spec: {eventBusName: nope, dependencies: [{name: a, eventSourceName: b, eventName: c}], triggers: [{template: {name: t, log: {}}}]}}`,
    );
    const lost = await waitFor('Sensor', 'lost', (object) =>
      conditionsOf(object).some(({ status }) => status === 'False'),
    );
    assert.equal(conditionsOf(lost).find(({ type }) => type === 'Deployed')?.reason, 'EventBusNotFound');
    for (const [kind, name] of [
      ['Sensor', 'wrong'],
      ['Sensor', 'acts'],
      ['Sensor', 'fails'],
      ['Sensor', 'hears'],
      ['EventSource', 'hooks'],
      ['EventSource', 'cluster'],
      ['EventBus', 'default'],
    ] as const) {
      await client.delete({ apiVersion: 'argoproj.io/v1alpha1', kind, namespace, name });
      await waitFor(kind, name, (object) => object === undefined);
    }
    assert.deepEqual(errors, []);
  });

  it('restarts a Rollout that is stuck, by the example', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../../examples/remediation/events.yaml'), 'utf8');
    const own = text.replace('port: "12000"', `port: "${port}"`);
    const objects = own.split(/^---$/m).map((part) => parse(part) as KubeObject);
    for (const object of objects) {
      object.metadata.namespace = namespace;
      await client.create(object);
      await ready(object.kind, object.metadata.name ?? '');
    }
    const send = (message: string) => post('/degraded', JSON.stringify({ name: 'web', phase: 'Degraded', message }));
    await send('something else');
    await send('ProgressDeadlineExceeded: ReplicaSet "web-1" has timed out progressing.');
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace };
    const deadline = Date.now() + timeout;
    let jobs = await client.list(ref);
    while (jobs.items.length === 0 && Date.now() < deadline) jobs = await client.list(ref);
    assert.equal(jobs.items.length, 1);
    const [job] = jobs.items as (KubeObject & {
      spec: { template: { spec: { containers: { command: string[] }[] } } };
    })[];
    const command = job?.spec.template.spec.containers[0]?.command ?? [];
    assert.deepEqual(command.slice(0, 5), ['kubectl', 'patch', 'rollout', 'web', '--type']);
    assert.match(command[7] ?? '', /^\{"spec":\{"restartAt":"\d{4}-\d{2}-\d{2}T[\d:]+Z"\}\}$/);
    const bus = { apiVersion: 'argoproj.io/v1alpha1', kind: 'EventBus', namespace, name: 'default' };
    await client.delete(bus);
    const kept = await waitFor('EventBus', 'default', (object) =>
      JSON.stringify(object?.status ?? {}).includes('EventBusInUse'),
    );
    assert.match(
      JSON.stringify(kept?.status),
      /to be deleted, and waits for the 2 that use it: EventSource rollout-degraded, Sensor restart-rollout/,
    );
    for (const { kind, metadata } of objects.filter((each) => each.kind !== 'EventBus').reverse())
      await client.delete({ apiVersion: 'argoproj.io/v1alpha1', kind, namespace, name: metadata.name ?? '' });
    await waitFor('EventBus', 'default', (object) => object === undefined);
  });
});
