import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { RecordedValue } from '@tiphys/helm';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { generationKey } from '@tiphys/template';
import { GeneratedValues } from './generated-values.ts';

let sandbox: Sandbox;
let client: Client;
before(async () => {
  sandbox = await startSandbox({ controllers: false, nodes: 0 });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'generated values' }, clock: systemClock });
});
after(async () => {
  await client.close();
  await sandbox.close();
});

const namespace = 'default';
/** A cache that never hears of anything: what a replica knows that has just started, or lags behind. */
const deaf = { get: () => undefined, subscribe: () => () => undefined };
const store = (with_: Client = client) => new GeneratedValues({ client: with_, secrets: deaf, namespace });

function application(name: string, uid = `${name}-uid`): Application {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace, uid } } as Application;
}

function value(call: string, text = `value of ${call}`): RecordedValue {
  const identity = {
    root: 'a.yaml',
    template: 'a.yaml',
    callers: '',
    rounds: '',
    digest: '',
    line: 1,
    column: 0,
    occurrence: 0,
  };
  return { ...identity, text: call, function: 'randAlphaNum', value: text };
}

/** A render that uses the calls, and generates what is not recorded as the text. */
const rendering = (calls: readonly string[], text: string) => async (recorded: readonly RecordedValue[]) => {
  const known = new Map(recorded.map((item) => [item.text, item]));
  const used = calls.map((call) => known.get(call) ?? value(call, text));
  const fresh = new Set(calls.filter((call) => !known.has(call)).map((call) => generationKey(value(call))));
  return { generated: { used, fresh } };
};
const texts = ({ generated }: { generated: { used: readonly RecordedValue[] } }) =>
  generated.used.map((item) => item.value);

const secret = (name: string) =>
  client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: `tiphys-generated-${name}` });

test('two controllers that render at the same time apply the same values', async () => {
  const shop = application('shop');
  const [first, second] = [store(), store()];
  const results = await Promise.all([
    first.recording(shop, 'r', rendering(['a'], 'by the first')),
    second.recording(shop, 'r', rendering(['a', 'b'], 'by the second')),
  ]);
  assert.equal(texts(results[0])[0], texts(results[1])[0]);
  const third = store();
  await assert.doesNotReject(third.recording(shop, 'r', rendering(['a', 'b', 'c'], 'by the third')));
  assert.deepEqual(
    third
      .of(shop, 'r')
      .map((item) => item.text)
      .sort(),
    ['a', 'b', 'c'],
  );
  assert.equal(third.of(shop, 'r').find((item) => item.text === 'a')?.value, texts(results[0])[0]);
});

test('a render is given to nobody before what it generated is stored', async () => {
  const broken = new Proxy(client, {
    get: (target, name) =>
      name === 'create'
        ? () => Promise.reject(new Error('the API server is gone'))
        : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)),
  });
  await assert.rejects(store(broken).recording(application('cut'), 'r', rendering(['a'], 'x')), /API server is gone/);
  assert.equal(await secret('cut'), undefined);
});

test('values that no whole sync uses any more are forgotten, and only then', async () => {
  const app = application('settled');
  const values = store();
  await values.recording(app, 'r', rendering(['old', 'kept', 'tracked'], 'x'));
  await values.recording(app, 'r', rendering(['kept', 'new'], 'y'));
  assert.equal(values.of(app, 'r').length, 4);
  const used = (...calls: string[]) => new Map([['r', calls.map((call) => value(call))]]);
  await values.settle(
    app,
    { objects: [], generated: used('kept', 'new') },
    { objects: [], generated: used('tracked') },
  );
  assert.deepEqual(
    values
      .of(app, 'r')
      .map((item) => item.text)
      .sort(),
    ['kept', 'new', 'tracked'],
  );
});

test('a field is changed if another value is desired than at the last whole sync, whatever live holds', async () => {
  const app = application('fields');
  const values = store();
  const desired = (checksum: string) => [
    {
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { checksum } },
      origin: { file: 'a.yaml', line: 1 },
      generated: [{ path: ['data', 'checksum'], functions: ['randAlphaNum'], keys: ['k'] }],
    },
  ];
  await values.recording(app, 'r', rendering(['a'], 'x'));
  assert.equal(values.changed(app, desired('one')).size, 0, 'nothing was synced yet: live values may be anybody’s');
  await values.settle(app, { objects: desired('one'), generated: new Map([['r', [value('a')]]]) }, undefined);
  assert.equal(values.changed(app, desired('one')).size, 0);
  const changed = desired('two');
  assert.deepEqual([...values.changed(app, changed)], changed[0]?.generated);
});

test('a rotation forgets once', async () => {
  const app = application('rotated');
  const values = store();
  await values.recording(app, 'r', rendering(['a', 'b'], 'before'));
  const keys = new Set([generationKey(value('a'))]);
  await values.forget(app, keys, 'one');
  assert.ok(values.hasRotated(app, 'one'));
  const [a, b] = texts(await values.recording(app, 'r', rendering(['a', 'b'], 'after')));
  assert.deepEqual([a, b], ['after', 'before']);
  await store().recording(app, 'r', rendering(['a'], 'never'));
  await values.forget(app, keys, 'one');
  assert.equal(values.of(app, 'r').length, 2, 'after a crash it is not done again');
});

test('an application never gets what was generated for an earlier one of the same name', async () => {
  await store().recording(application('again', 'first'), 'r', rendering(['a'], 'of the first'));
  const values = store();
  const next = application('again', 'second');
  assert.deepEqual(texts(await values.recording(next, 'r', rendering(['a'], 'of the second'))), ['of the second']);
  const stored = (await secret('again')) as KubeObject;
  assert.deepEqual(
    stored.metadata.ownerReferences?.map(({ uid }) => uid),
    ['second'],
  );
});

test('applications of one name in several namespaces keep their values apart, and unowned ones are removed with them', async () => {
  const here = application('twin', 'here');
  const there = { ...here, metadata: { ...here.metadata, namespace: 'elsewhere', uid: 'there' } };
  const values = store();
  assert.deepEqual(texts(await values.recording(here, 'r', rendering(['a'], 'of here'))), ['of here']);
  assert.deepEqual(texts(await values.recording(there, 'r', rendering(['a'], 'of there'))), ['of there']);
  assert.deepEqual(texts(await store().recording(here, 'r', rendering(['a'], 'never'))), ['of here']);
  assert.deepEqual(texts(await store().recording(there, 'r', rendering(['a'], 'never'))), ['of there']);
  const found = async () => {
    const { items } = await client.list({ apiVersion: 'v1', kind: 'Secret', namespace });
    return items.filter(({ metadata }) => metadata.annotations?.['tiphys.dev/application']?.endsWith('/twin'));
  };
  const other = (await found()).find(({ metadata }) => metadata.name?.endsWith('.other'));
  assert.equal(other?.metadata.ownerReferences, undefined, 'the garbage collector would delete it');
  await values.remove('elsewhere/twin');
  await values.remove(`${namespace}/twin`);
  assert.deepEqual(
    (await found()).map(({ metadata }) => metadata.name),
    ['tiphys-generated-twin'],
  );
});

test('what cannot be recorded is refused with its size and templates, and so is what cannot be read', async () => {
  const app = application('big');
  const calls = Array.from({ length: 300 }, (_, index) => `call ${index}`);
  await assert.rejects(store().recording(app, 'r', rendering(calls, 'x'.repeat(4_000))), (error: unknown) => {
    assert.ok(error instanceof DiagnosisError);
    assert.equal(error.diagnosis.code, 'GeneratedValuesTooBig');
    assert.match(error.diagnosis.message, /300 values with \d+ bytes/);
    return error.diagnosis.evidence.some(({ name }) => name === 'a.yaml');
  });
  const values = store();
  const odd = application('odd');
  await values.recording(odd, 'r', rendering(['a'], 'a very secret value'));
  const stored = (await secret('odd')) as KubeObject;
  const broken = Buffer.from('{"version":1,"values":["a very secret value"').toString('base64');
  const changed = await client.update({ ...stored, data: { 'values.json': broken } });
  const reading = new GeneratedValues({ client, secrets: { ...deaf, get: () => changed as never }, namespace });
  assert.throws(
    () => reading.of(odd, 'r'),
    (error: unknown) => error instanceof DiagnosisError && !JSON.stringify(error.diagnosis).includes('very secret'),
  );
});
