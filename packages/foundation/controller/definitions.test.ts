import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customResourceDefinitions } from '@tiphys/api';
import { diagnosisOf } from '@tiphys/diagnosis';
import { ApiError, connect, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { ensureDefinitions } from './definitions.ts';

const definition = (metadata: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: ${metadata}
spec:
  group: tiphys.test
  names: {kind: Sail, listKind: SailList, plural: sails, singular: sail}
  scope: Namespaced
  versions:
  - additionalPrinterColumns: [{jsonPath: .spec.x, name: X, type: string}]
    name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

test('an identity without rights to definitions takes those that somebody else installed', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const admin = connect(sandbox.config, { caller: { component: 'test', purpose: 'definitions' } });
  t.after(() => admin.close());
  const other = admin.impersonating({ name: 'somebody', groups: ['system:authenticated'] });
  for (const metadata of ['{name: sails.tiphys.test}', '\n  annotations: {a: b}\n  name: sails.tiphys.test']) {
    const texts = [{ file: 'sails.yaml', text: definition(metadata) }];
    await ensureDefinitions(admin, texts, systemClock);
    await ensureDefinitions(admin, texts, systemClock);
    await ensureDefinitions(other, texts, systemClock);
  }
});

test('what nobody installed and the identity may not install is told with the command', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const admin = connect(sandbox.config, { caller: { component: 'test', purpose: 'definitions' } });
  t.after(() => admin.close());
  const other = admin.impersonating({ name: 'somebody', groups: ['system:authenticated'] });
  let now = 0;
  const clock = {
    ...systemClock,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  await assert.rejects(ensureDefinitions(other, customResourceDefinitions().slice(0, 1), clock), /may not install it/);
});

test('a kind that is announced later than its definition is established is waited for, and told when it never comes', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const admin = connect(sandbox.config, { caller: { component: 'test', purpose: 'definitions' } });
  t.after(() => admin.close());
  let now = 0;
  let announcedAt = 700;
  const clock = {
    ...systemClock,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const discovery: typeof admin.discovery = Object.create(admin.discovery, {
    find: {
      value: async (apiVersion: string, kind: string) =>
        kind === 'Sail' && now < announcedAt ? undefined : await admin.discovery.find(apiVersion, kind),
    },
    invalidate: { value: () => admin.discovery.invalidate() },
  });
  const late: typeof admin = Object.create(admin, {
    discovery: { value: discovery },
    find: { value: (ref: never) => admin.find(ref) },
    get: { value: (ref: never) => admin.get(ref) },
    apply: { value: (object: never, options: never) => admin.apply(object, options) },
    server: { value: admin.server },
  });
  const texts = [{ file: 'sails.yaml', text: definition('{name: sails.tiphys.test}') }];
  await ensureDefinitions(late, texts, clock);
  assert.ok(now >= announcedAt && now < 2000, String(now));
  announcedAt = Number.POSITIVE_INFINITY;
  await assert.rejects(ensureDefinitions(late, texts, clock), /did not announce Sail of tiphys\.test\/v1 within 120 s/);
});

test('a definition that a loaded server has no time for is applied again, for two minutes', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const admin = connect(sandbox.config, { caller: { component: 'test', purpose: 'definitions' } });
  t.after(() => admin.close());
  let now = 0;
  let refusals = 2;
  const clock = {
    ...systemClock,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const loaded: typeof admin = Object.create(admin, {
    discovery: { value: admin.discovery },
    find: { value: (ref: never) => admin.find(ref) },
    get: { value: (ref: never) => admin.get(ref) },
    apply: {
      value: (object: never, options: never) => {
        refusals -= 1;
        if (refusals >= 0) throw new ApiError(diagnosisOf(new Error('no time')), { status: 504, reason: 'Timeout' });
        return admin.apply(object, options);
      },
    },
    server: { value: admin.server },
  });
  const texts = [{ file: 'sails.yaml', text: definition('{name: sails.tiphys.test}') }];
  await ensureDefinitions(loaded, texts, clock);
  assert.equal(refusals, -1);
  refusals = Number.POSITIVE_INFINITY;
  const other = [{ file: 'sails.yaml', text: definition('{name: sails.tiphys.test, labels: {a: b}}') }];
  await assert.rejects(ensureDefinitions(loaded, other, clock), /no time/);
  assert.ok(now >= 120_000, String(now));
});
