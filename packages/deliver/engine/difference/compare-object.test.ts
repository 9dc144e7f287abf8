import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { parse } from 'yaml';
import { withLastApplied } from '../sync/apply/apply-object.ts';
import { compareObject, type ObjectCompareOptions, predict } from './compare-object.ts';
import { compileIgnoreRules } from './ignore-rules.ts';

const options: ObjectCompareOptions = { ignoreStatus: true, ignoreAggregatedRoles: false, serverSide: false };
const object = (yaml: string) => parse(yaml) as KubeObject;

const deployment = (spec: string) =>
  object(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: ${spec}}`);
const config = (data: string) =>
  object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}, data: ${data}}`);
const service = (spec: string) =>
  object(`{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop}, spec: ${spec}}`);
const widget = (spec: string) =>
  object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: shop}, spec: ${spec}}`);

/** The live object as it is after `applied` was applied by us and `live` is what became of it. */
const after = (applied: KubeObject, live: KubeObject): KubeObject => ({
  ...live,
  metadata: { ...live.metadata, annotations: withLastApplied(applied).metadata.annotations ?? {} },
});

const rows: { name: string; desired: KubeObject; live: KubeObject; differs: string[] }[] = [
  { name: 'equal objects', desired: config('{a: b}'), live: config('{a: b}'), differs: [] },
  { name: 'a changed value', desired: config('{a: b}'), live: config('{a: c}'), differs: ['data.a'] },
  { name: 'a field of somebody else', desired: config('{a: b}'), live: config('{a: b, x: y}'), differs: [] },
  {
    name: 'a field that was applied before and is desired no more',
    desired: config('{a: b}'),
    live: after(config('{a: b, x: y}'), config('{a: b, x: y}')),
    differs: ['data.x'],
  },
  {
    name: 'a field that somebody removed',
    desired: config('{a: b, x: y}'),
    live: config('{a: b}'),
    differs: ['data.x'],
  },
  {
    name: 'an empty text that somebody removed from data',
    desired: config('{a: ""}'),
    live: config('{}'),
    differs: ['data.a'],
  },
  {
    name: 'quantities in another form',
    desired: deployment(
      '{template: {spec: {containers: [{name: c, resources: {limits: {cpu: 1000m, memory: 1024Mi}, requests: {cpu: 0.5}}}]}}}',
    ),
    live: deployment(
      '{template: {spec: {containers: [{name: c, resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 500m}}}]}}}',
    ),
    differs: [],
  },
  {
    name: 'another quantity',
    desired: deployment('{template: {spec: {containers: [{name: c, resources: {limits: {cpu: 100m}}}]}}}'),
    live: deployment('{template: {spec: {containers: [{name: c, resources: {limits: {cpu: "1"}}}]}}}'),
    differs: ['spec.template.spec.containers[0].resources.limits.cpu'],
  },
  {
    name: 'an injected container and its volume',
    desired: deployment('{template: {spec: {containers: [{name: c, image: x}]}}}'),
    live: deployment(
      '{template: {spec: {containers: [{name: c, image: x}, {name: sidecar, image: y}], volumes: [{name: v}]}}}',
    ),
    differs: [],
  },
  {
    name: 'the image of the second container',
    desired: deployment('{template: {spec: {containers: [{name: a, image: x}, {name: b, image: z}]}}}'),
    live: deployment('{template: {spec: {containers: [{name: a, image: x}, {name: b, image: y}]}}}'),
    differs: ['spec.template.spec.containers[1].image'],
  },
  {
    name: 'an environment variable that was removed from the manifest',
    desired: deployment('{template: {spec: {containers: [{name: a, env: [{name: A, value: "1"}]}]}}}'),
    live: after(
      deployment('{template: {spec: {containers: [{name: a, env: [{name: A, value: "1"}, {name: B, value: "2"}]}]}}}'),
      deployment('{template: {spec: {containers: [{name: a, env: [{name: A, value: "1"}, {name: B, value: "2"}]}]}}}'),
    ),
    differs: ['spec.template.spec.containers[0].env[1]'],
  },
  {
    name: 'ports told apart by protocol',
    desired: service('{ports: [{port: 53, protocol: UDP, name: u}, {port: 53, name: t}]}'),
    live: service(
      '{ports: [{port: 53, protocol: UDP, name: u, targetPort: 53}, {port: 53, protocol: TCP, name: t, targetPort: 53}]}',
    ),
    differs: [],
  },
  {
    name: 'a node port that the server chose',
    desired: service('{type: NodePort, ports: [{port: 80}]}'),
    live: service(
      '{type: NodePort, clusterIP: 10.0.0.1, ports: [{port: 80, protocol: TCP, nodePort: 30000, targetPort: 80}]}',
    ),
    differs: [],
  },
  {
    name: 'a strategy that was switched',
    desired: deployment('{strategy: {type: Recreate}}'),
    live: deployment('{strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}}'),
    differs: ['spec.strategy.type', 'spec.strategy.rollingUpdate'],
  },
  {
    name: 'a default written out and removed later',
    desired: deployment('{}'),
    live: after(deployment('{replicas: 1}'), deployment('{replicas: 1}')),
    differs: [],
  },
  {
    name: 'false where the server keeps nothing',
    desired: deployment('{paused: false, template: {spec: {hostNetwork: false}}}'),
    live: deployment('{template: {spec: {}}}'),
    differs: [],
  },
  {
    name: 'false where its absence means true',
    desired: deployment('{template: {spec: {automountServiceAccountToken: false}}}'),
    live: deployment('{template: {spec: {}}}'),
    differs: ['spec.template.spec.automountServiceAccountToken'],
  },
  {
    name: 'null',
    desired: deployment('{replicas: null, template: {metadata: {creationTimestamp: null}}}'),
    live: deployment('{replicas: 3, template: {metadata: {}}}'),
    differs: [],
  },
  {
    name: 'status',
    desired: object('{apiVersion: v1, kind: Pod, metadata: {name: p}, status: {phase: Never}}'),
    live: object('{apiVersion: v1, kind: Pod, metadata: {name: p}, status: {phase: Running}}'),
    differs: [],
  },
  { name: 'false in a custom resource', desired: widget('{on: false}'), live: widget('{}'), differs: ['spec.on'] },
  { name: 'a default in a custom resource', desired: widget('{}'), live: widget('{size: 3}'), differs: [] },
  {
    name: 'a longer list in a custom resource',
    desired: widget('{list: [a]}'),
    live: widget('{list: [a, b]}'),
    differs: ['spec.list'],
  },
  {
    name: 'text data of a Secret against its stored form',
    desired: object('{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: marker}}'),
    live: object('{apiVersion: v1, kind: Secret, metadata: {name: s}, type: Opaque, data: {a: bWFya2Vy}}'),
    differs: [],
  },
];

describe('comparing an object', () => {
  for (const { name, desired, live, differs } of rows) {
    it(`${name}: ${differs.length > 0 ? differs.join(', ') : 'no drift'}`, () => {
      assert.deepEqual(
        compareObject(desired, live, options).differences.map(({ path }) => path),
        differs,
      );
    });
  }

  it('tells a server default inside a list that is one value from an edit of it', () => {
    const desired = object(
      '{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: n}, spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}}',
    );
    const live = structuredClone(desired);
    (live as unknown as { spec: { ingress: { ports: { protocol?: string; endPort?: number }[] }[] } }).spec.ingress[0]!
      .ports[0]!.protocol = 'TCP';
    assert.deepEqual(compareObject(desired, live, options).differences, []);
    const edited = structuredClone(live);
    (edited as unknown as { spec: { ingress: { ports: { endPort?: number }[] }[] } }).spec.ingress[0]!
      .ports[0]!.endPort = 99;
    edited.metadata.managedFields = [
      {
        manager: 'kubectl-edit',
        operation: 'Update',
        time: '2026-01-01T00:00:00Z',
        fieldsV1: { 'f:spec': { 'f:ingress': {} } },
      },
    ];
    const [difference] = compareObject(desired, edited, options).differences;
    assert.equal(difference?.path, 'spec.ingress[0].ports[0].endPort');
    assert.equal(difference?.manager, 'kubectl-edit');
  });

  it('takes what we own by server-side apply for what was applied before', () => {
    const live = config('{a: b, mine: x, theirs: y}');
    live.metadata.managedFields = [
      { manager: 'argocd-controller', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {}, 'f:mine': {} } } },
      { manager: 'other', operation: 'Update', fieldsV1: { 'f:data': { 'f:theirs': {} } } },
    ];
    assert.deepEqual(
      compareObject(config('{a: b}'), live, { ...options, serverSide: true }).differences.map(({ path }) => path),
      ['data.mine'],
    );
  });

  it('never shows the values of a Secret', () => {
    const desired = object(
      '{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: MARKER-new, same: MARKER-same}}',
    );
    const old = object(
      '{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: TUFSS0VSLW9sZA==, same: TUFSS0VSLXNhbWU=, gone: TUFSS0VS}}',
    );
    const result = compareObject(desired, after(old, old), options);
    assert.deepEqual(
      result.differences.map(({ path }) => path),
      ['data.a', 'data.gone'],
    );
    const text = JSON.stringify(result);
    for (const secret of ['MARKER', 'TUFSS0VS']) assert.ok(!text.includes(secret), text);
    assert.notEqual(result.normalized.live['data'], result.normalized.predicted['data']);
  });

  it('changes neither object', () => {
    const desired = deployment('{replicas: 2, strategy: {}}');
    const live = deployment('{replicas: 3}');
    const before = structuredClone([desired, live]);
    predict(desired, live, false);
    compareObject(desired, live, options);
    assert.deepEqual([desired, live], before);
  });
});

describe('ignoring differences', () => {
  const ignoring = (rule: object, desired: KubeObject, live: KubeObject) => {
    const rules = compileIgnoreRules([{ kind: '*', group: '*', ...rule }]);
    assert.deepEqual(
      rules.problems.map(({ message }) => message),
      [],
    );
    const ignore = rules.for({ group: 'apps', kind: desired.kind, namespace: 'shop', name: 'web' });
    return compareObject(desired, live, { ...options, ignore }).differences.map(({ path }) => path);
  };
  const desired = deployment(
    '{replicas: 1, template: {spec: {containers: [{name: a, image: x}, {name: b, image: y}]}}}',
  );
  const live = deployment(
    '{replicas: 5, template: {spec: {containers: [{name: a, image: x2}, {name: b, image: y2}]}}}',
  );

  it('by JSON pointer', () => {
    assert.deepEqual(
      ignoring({ jsonPointers: ['/spec/replicas', '/spec/template/spec/containers/0/image'] }, desired, live),
      ['spec.template.spec.containers[1].image'],
    );
  });

  const expressions: [string, string[]][] = [
    ['.spec.replicas', ['spec.template.spec.containers[0].image', 'spec.template.spec.containers[1].image']],
    ['.spec.template.spec.containers[].image', ['spec.replicas']],
    ['.spec.template.spec.containers[]?.image, .spec["replicas"]', []],
    [
      '.spec.template.spec.containers[] | select(.name == "b")',
      ['spec.replicas', 'spec.template.spec.containers[0].image'],
    ],
    [
      '.spec.template.spec.containers[] | select(.name | startswith("a")) | .image',
      ['spec.replicas', 'spec.template.spec.containers[1].image'],
    ],
    ['.spec', []],
  ];
  for (const [expression, left] of expressions) {
    it(`by jq path ${expression}`, () =>
      assert.deepEqual(ignoring({ jqPathExpressions: [expression] }, desired, live), left));
  }

  it('by the manager that wrote the field', () => {
    const scaled = structuredClone(live);
    scaled.metadata.managedFields = [
      { manager: 'hpa', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ];
    assert.deepEqual(ignoring({ managedFieldsManagers: ['hpa'] }, desired, scaled).includes('spec.replicas'), false);
  });

  it('refuses an expression that it cannot bound, by name and place', () => {
    for (const expression of [
      '[range(1e12)]',
      'until(false; .)',
      '..',
      'def f: f; f',
      '.a as $x | $y',
      '.[',
      '',
      'input',
    ]) {
      const { problems } = compileIgnoreRules([{ kind: 'Deployment', group: 'apps', jqPathExpressions: [expression] }]);
      assert.equal(problems.length, 1, expression);
      assert.equal(problems[0]?.place?.field, 'spec.ignoreDifferences[0]');
    }
  });
});
