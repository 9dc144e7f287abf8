import { printYaml } from '@tiphys/yaml';
import fc from 'fast-check';
import type { KustomizationCase } from './kustomization-cases.ts';

const name = fc.constantFrom('web', 'db', 'cache', 'web-2');
const text = fc.oneof(
  fc.constantFrom(
    'yes',
    'no',
    '1',
    '1.0',
    '0x10',
    'null',
    '~',
    '',
    'a b',
    'a: b',
    '# c',
    'true',
    '2020-01-01',
    'é',
    ' x ',
    'x\ny\n',
  ),
  fc.string({ maxLength: 12 }).map((value) => value.replace(/[^\x20-\x7e]/g, '·')),
);
const scalar = fc.oneof(
  text,
  fc.integer({ min: -5, max: 70_000 }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0.5, 1e21, 3.25),
);
const label = fc.dictionary(fc.constantFrom('app', 'tier', 'x.io/part', 'env'), text, { maxKeys: 3 });

const container = fc.record({
  name: fc.constantFrom('main', 'side'),
  image: fc.constantFrom('nginx', 'nginx:1.2', 'reg.io:5000/nginx:1@sha256:abc', 'busybox'),
  env: fc.array(fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: text }), { maxLength: 3 }),
  envFrom: fc.array(fc.record({ configMapRef: fc.record({ name }) }), { maxLength: 1 }),
});

const meta = fc.record(
  { name, namespace: fc.constantFrom('shop', 'other'), labels: label, annotations: label },
  { requiredKeys: ['name'] },
);

const resource = fc.oneof(
  fc.record({
    apiVersion: fc.constant('apps/v1'),
    kind: fc.constantFrom('Deployment', 'StatefulSet', 'DaemonSet'),
    metadata: meta,
    spec: fc.record({
      replicas: fc.integer({ min: 0, max: 5 }),
      selector: fc.record({ matchLabels: label }),
      template: fc.record({
        metadata: fc.record({ labels: label }),
        spec: fc.record(
          {
            serviceAccountName: name,
            containers: fc.uniqueArray(container, { maxLength: 2, selector: (item) => item.name }),
            volumes: fc.array(fc.record({ name: fc.constant('v'), configMap: fc.record({ name }) }), { maxLength: 1 }),
          },
          { requiredKeys: ['containers'] },
        ),
      }),
    }),
  }),
  fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constantFrom('ConfigMap', 'Secret'),
    metadata: meta,
    data: fc.dictionary(fc.constantFrom('a', 'b', 'c.txt'), scalar, { maxKeys: 3 }),
  }),
  fc.record({ apiVersion: fc.constant('v1'), kind: fc.constantFrom('ServiceAccount', 'Namespace'), metadata: meta }),
  fc.record({
    apiVersion: fc.constant('x.io/v1'),
    kind: fc.constant('Thing'),
    metadata: meta,
    spec: fc.dictionary(fc.constantFrom('a', 'b', 'list'), fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }))),
  }),
);

const patch = fc.oneof(
  fc.record({
    target: fc.record(
      { kind: fc.constantFrom('Deployment', '.*Set', 'Thing'), name: fc.constantFrom('web.*', 'db') },
      { requiredKeys: ['kind'] },
    ),
    patch: fc.constantFrom(
      '- {op: add, path: /metadata/annotations, value: {p: q}}',
      '- {op: replace, path: /metadata/name, value: renamed}',
      '- {op: add, path: /spec/extra, value: [1, yes, {a: null}]}',
      '- {op: remove, path: /metadata/labels}',
    ),
  }),
  fc.record({
    target: fc.record({ kind: fc.constantFrom('Deployment', 'StatefulSet') }),
    patch: fc.constantFrom(
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {template: {spec: {containers: [{name: main, image: patched, env: [{name: A, value: z}, {name: B, $patch: delete}]}]}}}',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, labels: {app: null, new: "1"}}\nspec: {replicas: null}',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {template: {spec: {$patch: replace, containers: [{name: only, image: y}]}}}',
    ),
  }),
);

const fields = fc.record(
  {
    namespace: fc.constantFrom('prod', 'default'),
    namePrefix: fc.constantFrom('p-', '1'),
    nameSuffix: fc.constantFrom('-s', '-2'),
    commonLabels: label,
    commonAnnotations: label,
    labels: fc.array(fc.record({ pairs: label, includeSelectors: fc.boolean(), includeTemplates: fc.boolean() }), {
      maxLength: 2,
    }),
    images: fc.array(
      fc.record(
        {
          name: fc.constantFrom('nginx', 'reg.io:5000/nginx'),
          newName: fc.constant('mirror/n'),
          newTag: text.filter((tag) => /^[\w.]+$/.test(tag)),
        },
        { requiredKeys: ['name'] },
      ),
      { maxLength: 2 },
    ),
    replicas: fc.array(fc.record({ name, count: fc.integer({ min: 0, max: 9 }) }), { maxLength: 1 }),
    patches: fc.array(patch, { maxLength: 2 }),
    configMapGenerator: fc.uniqueArray(
      fc.record(
        {
          name: fc.constantFrom('web', 'gen'),
          behavior: fc.constantFrom('merge', 'create'),
          literals: fc.array(
            text.map((value) => `k=${value}`),
            { maxLength: 1 },
          ),
        },
        { requiredKeys: ['name', 'literals'] },
      ),
      { maxLength: 2, selector: (item) => item.name },
    ),
    buildMetadata: fc.subarray(['originAnnotations', 'transformerAnnotations', 'managedByLabel']),
    sortOptions: fc.record({ order: fc.constantFrom('legacy', 'fifo') }),
  },
  { requiredKeys: [] },
);

const overlay = fc.record({
  resources: fc.array(resource, { minLength: 1, maxLength: 5 }),
  base: fields,
  top: fields,
});

/** Overlays over bases that are made up; the same seed gives the same ones. */
export function randomKustomizations(seed: number, count: number): KustomizationCase[] {
  return fc.sample(overlay, { seed, numRuns: count }).map(({ resources, base, top }, i) => {
    const file = (path: string, data: string) => ({ path, data: Buffer.from(data), link: false });
    return {
      feature: 'random',
      name: `${seed}-${i}`,
      path: 'top',
      flags: [],
      files: [
        file('base/all.yaml', resources.map((item) => printYaml(item as never)).join('---\n')),
        file('base/kustomization.yaml', printYaml({ resources: ['all.yaml'], ...base } as never)),
        file('top/kustomization.yaml', printYaml({ resources: ['../base'], ...top } as never)),
      ],
    };
  });
}
