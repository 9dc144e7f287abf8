import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../object/object.ts';
import { builtinType } from '../schema/builtin.ts';
import { deducedType, type ObjectType, TypeModels } from '../schema/object-type.ts';
import type { OpenApiSchema } from '../schema/openapi-schema.ts';
import { ApplyError, FieldManager } from './field-manager.ts';
import { FieldSet, type FieldsV1 } from './field-set.ts';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

function manager(type: ObjectType, apiVersion = 'v1', kind = 'ConfigMap'): FieldManager {
  return new FieldManager({
    apiVersion,
    kind,
    typeOf: (version) => (version === apiVersion ? type : undefined),
    now: () => Date.parse('2026-01-01T00:00:00Z'),
  });
}

const configMaps = manager(builtinType({ group: '', version: 'v1', kind: 'ConfigMap' }) as ObjectType);
const configMap = (data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'n' },
  data,
});
const owned = (object: KubeObject) =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]),
  );

test('a create owns what it says, with the time and without what the system writes', () => {
  const created = configMaps.update(
    undefined,
    { ...configMap({ x: '1' }), metadata: { name: 'a', uid: 'u', labels: { l: '1' } } },
    'kubectl',
  );
  assert.deepEqual(created.metadata.managedFields, [
    {
      manager: 'kubectl',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:x': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } },
    },
  ]);
});

test('an apply removes what it applied before and no longer does, and leaves the fields of others', () => {
  const first = configMaps.apply(undefined, configMap({ mine: '1', both: '1' }), { manager: 'one' });
  const second = configMaps.apply(first, configMap({ both: '1', theirs: '1' }), { manager: 'two' });
  const third = configMaps.apply(second, configMap({}), { manager: 'one' });
  assert.deepEqual(third.data, { both: '1', theirs: '1' });
  assert.deepEqual(Object.keys(owned(third)).sort(), ['one Apply', 'two Apply']);
});

test('a conflict names manager and fields (C9), and force takes them over', () => {
  const live = configMaps.update(undefined, configMap({ x: '1', y: '1' }), 'kubectl');
  assert.throws(
    () => configMaps.apply(live, configMap({ x: '2', y: '2' }), { manager: 'gitops' }),
    (error) =>
      error instanceof ApplyError &&
      error.status === 409 &&
      error.message === 'Apply failed with 2 conflicts: conflicts with "kubectl" using v1:\n- .data.x\n- .data.y' &&
      error.conflicts.length === 2,
  );
  const forced = configMaps.apply(live, configMap({ x: '2' }), { manager: 'gitops', force: true });
  assert.deepEqual(forced.data, { x: '2', y: '1' });
  assert.deepEqual(owned(forced)['kubectl Update'], { 'f:data': { '.': {}, 'f:y': {} } });
});

test('the same apply again gives the very same object', () => {
  const live = configMaps.apply(undefined, configMap({ x: '1' }), { manager: 'one' });
  assert.equal(configMaps.apply(live, configMap({ x: '1' }), { manager: 'one' }), live);
});

test('kubectl may take over what its client-side apply wrote, others may not', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(configMap({ x: '1' })) };
  const live = configMaps.update(
    undefined,
    { ...configMap({ x: '1' }), metadata: { name: 'a', namespace: 'n', annotations } },
    'kubectl-client-side-apply',
  );
  assert.throws(() => configMaps.apply(live, configMap({ x: '2' }), { manager: 'gitops' }), ApplyError);
  const adopted = configMaps.apply(live, configMap({ x: '2' }), { manager: 'kubectl' });
  assert.deepEqual(adopted.data, { x: '2' });
  assert.match(adopted.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '', /"x":"2"/);
});

test('an empty list of managed fields forgets them, and then nothing is tracked', () => {
  const live = { ...configMaps.update(undefined, configMap({ x: '1' }), 'a') };
  live.metadata = { ...live.metadata, uid: 'u' };
  const reset = configMaps.update(live, { ...live, metadata: { ...live.metadata, managedFields: [] } }, 'b');
  assert.equal(reset.metadata.managedFields, undefined);
  const first = configMaps.apply(reset, configMap({ y: '1' }), { manager: 'one' });
  assert.deepEqual(Object.keys(owned(first)), ['one Apply', 'before-first-apply Update']);
});

test('more than ten updaters of a version are merged, the oldest first', () => {
  let live = configMaps.update(undefined, configMap({}), 'create');
  for (let index = 0; index < 12; index++)
    live = configMaps.update(live, configMap({ ...(live.data as object), [`k${index}`]: '1' }), `m${index}`);
  const managers = (live.metadata.managedFields ?? []).map((entry) => entry.manager);
  assert.equal(managers.length, 10);
  assert.ok(managers.includes('ancient-changes'));
});

test('ports are told apart by their keys, defaults included', () => {
  const services = manager(builtinType({ group: '', version: 'v1', kind: 'Service' }) as ObjectType, 'v1', 'Service');
  const service = (ports: object[]): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports },
  });
  const live = services.apply(undefined, service([{ port: 53 }, { port: 53, protocol: 'UDP' }]), { manager: 'one' });
  assert.deepEqual(
    Object.keys((owned(live)['one Apply'] as { 'f:spec': { 'f:ports': object } })['f:spec']['f:ports']),
    ['k:{"port":53,"protocol":"TCP"}', 'k:{"port":53,"protocol":"UDP"}'],
  );
  assert.throws(
    () => services.apply(live, service([{ port: 53 }, { port: 53, protocol: 'TCP' }]), { manager: 'one' }),
    (error) =>
      error instanceof ApplyError &&
      error.status === 500 &&
      /duplicate entries for key \[port=53,protocol="TCP"\]/.test(error.message),
  );
});

const schema: OpenApiSchema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      properties: {
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        atomic: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: { a: { type: 'string' }, b: { type: 'string' } },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: { type: 'object', properties: { id: { type: 'string' }, v: { type: 'integer' } } },
        },
      },
    },
  },
};
const foos = manager(new TypeModels({}).typeOf(schema), 'x.io/v1', 'Foo');
const foo = (spec: object): KubeObject => ({ apiVersion: 'x.io/v1', kind: 'Foo', metadata: { name: 'a' }, spec });

test('a custom resource is merged by its structural schema', () => {
  const one = foos.apply(undefined, foo({ set: ['a', 'b'], items: [{ id: '1', v: 1 }], free: { x: { y: [1] } } }), {
    manager: 'one',
  });
  const two = foos.apply(one, foo({ set: ['c'], items: [{ id: '2', v: 2 }], free: { x: { z: 1 } } }), {
    manager: 'two',
  });
  assert.deepEqual(two.spec, {
    set: ['a', 'b', 'c'],
    items: [
      { id: '1', v: 1 },
      { id: '2', v: 2 },
    ],
    free: { x: { y: [1], z: 1 } },
  });
  const three = foos.apply(two, foo({ set: ['b'] }), { manager: 'one' });
  assert.deepEqual(three.spec, { set: ['b', 'c'], items: [{ id: '2', v: 2 }], free: { x: { z: 1 } } });
  assert.throws(
    () => foos.apply(two, foo({ atomic: { c: '1' } }), { manager: 'one' }),
    /\.spec\.atomic\.c: field not declared in schema/,
  );
});

test('an atomic object is owned and replaced as a whole', () => {
  const one = foos.apply(undefined, foo({ atomic: { a: '1' } }), { manager: 'one' });
  assert.deepEqual(owned(one)['one Apply'], { 'f:spec': { 'f:atomic': {} } });
  assert.throws(
    () => foos.apply(one, foo({ atomic: { b: '1' } }), { manager: 'two' }),
    /conflict with "one": \.spec\.atomic/,
  );
  assert.deepEqual(foos.apply(one, foo({ atomic: { b: '1' } }), { manager: 'two', force: true }).spec, {
    atomic: { b: '1' },
  });
});

test('objects without schema are merged field by field, their lists as a whole', () => {
  const bars = manager(deducedType, 'x.io/v1', 'Foo');
  const one = bars.apply(undefined, foo({ list: [1], a: { b: 1 } }), { manager: 'one' });
  const two = bars.apply(one, foo({ a: { c: 1 } }), { manager: 'two' });
  assert.deepEqual(two.spec, { list: [1], a: { b: 1, c: 1 } });
  assert.throws(() => bars.apply(two, foo({ list: [2] }), { manager: 'two' }), /\.spec\.list/);
});

test('what was owned inside of a list that has become atomic is owned as the list', () => {
  const before = foos.apply(undefined, foo({ set: ['a'] }), { manager: 'one' });
  const set = { ...schema.properties?.spec?.properties?.set, 'x-kubernetes-list-type': 'atomic' };
  const now: OpenApiSchema = {
    ...schema,
    properties: { ...schema.properties, spec: { type: 'object', properties: { set } } },
  };
  const after = manager(new TypeModels({}).typeOf(now), 'x.io/v1', 'Foo').apply(before, foo({ set: ['b'] }), {
    manager: 'one',
  });
  assert.deepEqual(after.spec, { set: ['b'] });
  assert.deepEqual(owned(after), { 'one Apply': { 'f:spec': { 'f:set': {} } } });
});

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1', 'v:"1"');
const fieldSet = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 8 }).map((paths) => {
  const set = new FieldSet();
  for (const path of paths) set.insert(path);
  return set;
});

test('field sets survive fieldsV1, and their operations are those of sets', () => {
  const texts = (set: FieldSet) => [...set.paths()].map((path) => path.join('|')).sort();
  fc.assert(
    fc.property(fieldSet, fieldSet, (a, b) => {
      const copy = FieldSet.decode(JSON.parse(JSON.stringify(a.encode())) as FieldsV1);
      assert.ok(copy.equals(a));
      const [left, right] = [new Set(texts(a)), new Set(texts(b))];
      assert.deepEqual(texts(a.union(b)), [...left.union(right)].sort());
      assert.deepEqual(texts(a.intersection(b)), [...left.intersection(right)].sort());
      assert.deepEqual(texts(a.difference(b)), [...left.difference(right)].sort());
      const isUnder = (text: string) => [...right].some((path) => text === path || text.startsWith(`${path}|`));
      assert.deepEqual(texts(a.recursiveDifference(b)), [...left].filter((text) => !isUnder(text)).sort());
    }),
  );
});

test('keys that another writer has spelled differently are the same', () => {
  const set = FieldSet.decode({ 'f:a': { 'k:{"protocol":"TCP","port":80}': { '.': {}, 'f:x': {} } } });
  assert.ok(set.has(['f:a', 'k:{"port":80,"protocol":"TCP"}', 'f:x']));
});
