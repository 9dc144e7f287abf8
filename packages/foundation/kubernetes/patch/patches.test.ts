import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { builtinType } from '../schema/builtin.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { applyMergePatch, createMergePatch, threeWayMergePatch } from './json-merge-patch.ts';
import { applyJsonPatch } from './json-patch.ts';
import { PatchError } from './patch-error.ts';
import { threeWayStrategicPatch, twoWayStrategicPatch } from './strategic-diff.ts';
import { strategicMerge } from './strategic-merge.ts';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

const pod = builtinType({ group: '', version: 'v1', kind: 'Pod' }) as ObjectType;
const deployment = builtinType({ group: 'apps', version: 'v1', kind: 'Deployment' }) as ObjectType;
const spec = (value: object) => ({ spec: value });

const operations: { name: string; patch: object[]; from: unknown; to: unknown }[] = [
  { name: 'adds a field', patch: [{ op: 'add', path: '/a/b', value: 1 }], from: { a: {} }, to: { a: { b: 1 } } },
  {
    name: 'adds before an index and at the end',
    patch: [
      { op: 'add', path: '/l/0', value: 0 },
      { op: 'add', path: '/l/-', value: 9 },
    ],
    from: { l: [1] },
    to: { l: [0, 1, 9] },
  },
  {
    name: 'counts negative indices from the end',
    patch: [{ op: 'remove', path: '/l/-1' }],
    from: { l: [1, 2] },
    to: { l: [1] },
  },
  {
    name: 'unescapes ~1 and ~0',
    patch: [{ op: 'replace', path: '/a~1b~0c', value: 2 }],
    from: { 'a/b~c': 1 },
    to: { 'a/b~c': 2 },
  },
  {
    name: 'moves and copies',
    patch: [
      { op: 'move', from: '/a', path: '/b' },
      { op: 'copy', from: '/b', path: '/c' },
    ],
    from: { a: [1] },
    to: { b: [1], c: [1] },
  },
  {
    name: 'sets what a replace does not find, as kube-apiserver does',
    patch: [{ op: 'replace', path: '/a', value: 1 }],
    from: {},
    to: { a: 1 },
  },
  {
    name: 'takes a missing field for null in a test',
    patch: [{ op: 'test', path: '/a', value: null }],
    from: {},
    to: {},
  },
  {
    name: 'keeps __proto__ a field like any other',
    patch: [{ op: 'add', path: '/__proto__', value: 1 }],
    from: {},
    to: JSON.parse('{"__proto__":1}'),
  },
];
for (const { name, patch, from, to } of operations) {
  test(`a JSON patch ${name}`, () => {
    const before = structuredClone(from);
    assert.deepEqual(applyJsonPatch(from, patch), to);
    assert.deepEqual(from, before, 'the document is not changed');
  });
}

const refused: { patch: unknown; status: number; detail: RegExp }[] = [
  {
    patch: { op: 'add' },
    status: 400,
    detail: /cannot unmarshal object into Go value of type \[\]handlers\.jsonPatchOp/,
  },
  {
    patch: [{ op: 'test', path: '/a', value: 2 }],
    status: 422,
    detail: /operation 0 \(test \/a\): the value is another one/,
  },
  { patch: [{ op: 'remove', path: '/zz' }], status: 422, detail: /nothing to remove/ },
  { patch: [{ op: 'add', path: '/x/y/z', value: 1 }], status: 422, detail: /nothing is at x/ },
  { patch: [{ op: 'add', path: '/l/5', value: 1 }], status: 422, detail: /index 5 is out of bounds/ },
  { patch: [{ op: 'frob', path: '/a' }], status: 422, detail: /unknown operation/ },
];
for (const { patch, status, detail } of refused) {
  test(`a JSON patch is refused: ${detail.source}`, () => {
    assert.throws(
      () => applyJsonPatch({ a: 1, l: [] }, patch),
      (error) => error instanceof PatchError && error.status === status && detail.test(error.detail),
    );
  });
}

test('a merge patch removes by null, merges objects and replaces the rest', () => {
  assert.deepEqual(
    applyMergePatch({ a: 1, b: { c: 1, d: 2 }, l: [1] }, { a: null, b: { c: null, e: { f: null } }, l: [2] }),
    { b: { d: 2, e: {} }, l: [2] },
  );
});

test('no patch changes a prototype', () => {
  const patch = JSON.parse(
    '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}},"spec":{"__proto__":{"polluted":1}}}',
  ) as object;
  for (const result of [applyMergePatch({}, patch), strategicMerge({ spec: {} }, patch, pod)] as {
    a: object;
    spec: object;
  }[]) {
    for (const object of [result, result.a, result.spec]) assert.equal(Object.getPrototypeOf(object), Object.prototype);
  }
});

test('a created merge patch makes the one of the other', () => {
  const value = fc.letrec((tie) => ({
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
    value: fc.oneof(fc.integer({ max: 3 }), fc.array(fc.integer({ max: 2 }), { maxLength: 2 }), tie('object')),
  })).object as fc.Arbitrary<Record<string, unknown>>;
  fc.assert(
    fc.property(value, value, (from, to) => assert.deepEqual(applyMergePatch(from, createMergePatch(from, to)), to)),
  );
});

test('a three-way merge patch leaves what others have added, and removes what was applied before', () => {
  const patch = threeWayMergePatch({ a: 1, gone: 1 }, { a: 2, set: {} }, { a: 1, gone: 1, others: 1 });
  assert.deepEqual(patch, { a: 2, set: {}, gone: null });
});

const merges: { name: string; from: object; patch: object; to: object }[] = [
  {
    name: 'merges list items by key and keeps the others',
    from: {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ],
    },
    patch: { containers: [{ name: 'b', image: '2' }] },
    to: {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '2' },
      ],
    },
  },
  {
    name: 'deletes an item by directive',
    from: { containers: [{ name: 'a' }, { name: 'b' }] },
    patch: { containers: [{ name: 'a', $patch: 'delete' }] },
    to: { containers: [{ name: 'b' }] },
  },
  {
    name: 'replaces a list by directive',
    from: { containers: [{ name: 'a' }, { name: 'b' }] },
    patch: { containers: [{ name: 'c' }, { $patch: 'replace' }] },
    to: { containers: [{ name: 'c' }] },
  },
  {
    name: 'replaces an object by directive',
    from: { securityContext: { a: 1, b: 2 } },
    patch: { securityContext: { c: 3, $patch: 'replace' } },
    to: { securityContext: { c: 3 } },
  },
  {
    name: 'replaces lists that are atomic',
    from: { tolerations: [{ key: 'a' }] },
    patch: { tolerations: [{ key: 'b' }] },
    to: { tolerations: [{ key: 'b' }] },
  },
  {
    name: 'sets the order asked for, with the items of others between',
    from: { containers: [{ name: 'a' }, { name: 'x' }, { name: 'b' }] },
    patch: { $setElementOrder: 0, '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
    to: { $setElementOrder: 0, containers: [{ name: 'x' }, { name: 'b' }, { name: 'a' }] },
  },
  {
    name: 'keeps only the fields retained',
    from: { volumes: [{ name: 'v', emptyDir: {} }] },
    patch: { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] },
    to: { volumes: [{ name: 'v', configMap: { name: 'c' } }] },
  },
  {
    name: 'drops nulls of values that are new',
    from: {},
    patch: { affinity: { a: null, b: 1 } },
    to: { affinity: { b: 1 } },
  },
];
for (const { name, from, patch, to } of merges) {
  test(`a strategic merge ${name}`, () => {
    const before = structuredClone(from);
    assert.deepEqual(strategicMerge(spec(from), spec(patch), pod), spec(to));
    assert.deepEqual(from, before, 'the object is not changed');
  });
}

test('a strategic merge deletes from a set of values', () => {
  const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } };
  assert.deepEqual(strategicMerge({ metadata: { finalizers: ['a', 'b'] } }, patch, pod), {
    metadata: { finalizers: ['b'] },
  });
});

const unmergeable: { patch: object; message: string }[] = [
  { patch: { $patch: 'foo' }, message: 'unknown patch type: foo in map: map[$patch:foo]' },
  {
    patch: spec({ containers: [{ image: 'x' }] }),
    message: 'map: map[image:x] does not contain declared merge key: name',
  },
  { patch: spec({ $retainKeys: ['a'], b: 1 }), message: 'invalid patch format of retainKeys' },
];
for (const { patch, message } of unmergeable) {
  test(`a strategic merge is refused: ${message}`, () => {
    assert.throws(
      () => strategicMerge(spec({ containers: [{ name: 'a' }] }), patch, pod),
      (error) => error instanceof PatchError && error.message === message,
    );
  });
}

const item = (name: string) =>
  fc.record(
    {
      name: fc.constant(name),
      image: fc.constantFrom('x', 'y'),
      args: fc.array(fc.constantFrom('p', 'q'), { maxLength: 2 }),
    },
    { noNullPrototype: true },
  );
const podSpec = fc
  .shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 1 })
  .chain((names) => fc.tuple(...names.map(item)))
  .map((containers) => ({ spec: { template: { spec: { containers } } } }));

test('a created strategic patch makes the one of the other, order included', () => {
  fc.assert(
    fc.property(podSpec, podSpec, (from, to) =>
      assert.deepEqual(strategicMerge(from, twoWayStrategicPatch(from, to, deployment), deployment), to),
    ),
  );
});

test('a three-way strategic patch gives what is applied, without what was, and with what others have', () => {
  fc.assert(
    fc.property(podSpec, podSpec, (last, next) => {
      const [first, ...rest] = last.spec.template.spec.containers;
      const live = {
        spec: {
          replicas: 3,
          template: { spec: { containers: [{ ...first, stdin: true }, ...rest, { name: 'sidecar' }] } },
        },
      };
      const result = strategicMerge(live, threeWayStrategicPatch(last, next, live, deployment), deployment);
      assert.equal(result.spec.replicas, 3);
      const names = result.spec.template.spec.containers.map(({ name }) => name);
      assert.deepEqual(
        names.filter((name) => name !== 'sidecar'),
        next.spec.template.spec.containers.map(({ name }) => name),
      );
      assert.ok(names.includes('sidecar'));
      const again = threeWayStrategicPatch(next, next, result, deployment);
      assert.deepEqual(strategicMerge(result, again, deployment), result, 'a second apply changes nothing');
    }),
  );
});
