import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analysisRunsToDelete } from './history.ts';
import { analysisLabels } from './labels.ts';
import type { AnalysisRun, AnalysisTemplate, AnalysisTemplateSpec } from './model/types.ts';
import { rolloutArguments } from './owner-arguments.ts';
import { analysisRunFromTemplates, flattenTemplates, gatherTemplates, isSameAnalysis } from './templates.ts';

const template = (name: string, spec: AnalysisTemplateSpec): AnalysisTemplate => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name },
  spec,
});
const metric = (name: string) => ({ name, provider: { web: { url: '' } } });
const set = (...specs: AnalysisTemplateSpec[]) => ({
  templates: specs.map((spec, index) => template(`t${index}`, spec)),
  clusterTemplates: [],
});

test('templates are gathered with those they refer to, each once, though they go round', () => {
  const templates = new Map([
    ['a', template('a', { templates: [{ templateName: 'b' }, { templateName: 'c', clusterScope: true }] })],
    ['b', template('b', { templates: [{ templateName: 'a' }] })],
    ['c', template('c', {})],
  ]);
  const gathered = gatherTemplates([{ templateName: 'a' }, { templateName: 'b' }], (name) => templates.get(name));
  assert.deepEqual(
    gathered.templates.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  );
  assert.deepEqual(
    gathered.clusterTemplates.map(({ metadata }) => metadata.name),
    ['c'],
  );
  assert.throws(() => gatherTemplates([{ templateName: 'x' }], () => undefined), /AnalysisTemplate 'x' not found/);
});

test('what two templates say must not contradict', () => {
  assert.throws(
    () => flattenTemplates(set({ metrics: [metric('m')] }, { metrics: [metric('m')] })),
    /two metrics have the same name 'm'/,
  );
  const dryRun = [{ metricName: 'm' }];
  assert.throws(() => flattenTemplates(set({ dryRun }, { dryRun })), /two Dry-Run metric rules have the same name 'm'/);
  const measurementRetention = [{ metricName: 'm', limit: 1 }];
  assert.throws(
    () => flattenTemplates(set({ measurementRetention }, { measurementRetention })),
    /two Measurement Retention metric rules have the same name 'm'/,
  );
  assert.throws(
    () => flattenTemplates(set({ args: [{ name: 'a', value: '1' }] }, { args: [{ name: 'a', value: '2' }] })),
    /Argument `a` specified multiple times with different values: '1', '2'/,
  );
  const { args } = flattenTemplates(
    set({ args: [{ name: 'a' }] }, { args: [{ name: 'a', value: '2' }, { name: 'b' }] }),
  );
  assert.deepEqual(args, [{ name: 'a', value: '2' }, { name: 'b' }]);
});

test('a run takes the values that it is given for the arguments that templates declare', () => {
  const templates = set({ metrics: [metric('m')], args: [{ name: 'a' }, { name: 'b', value: 'default' }] });
  const wanted = { ...templates, metadata: { name: 'run' }, dryRun: [{ metricName: 'm' }] };
  const run = analysisRunFromTemplates({
    ...wanted,
    args: [
      { name: 'a', value: '1' },
      { name: 'unknown', value: '2' },
    ],
  });
  assert.deepEqual(run.spec, {
    metrics: [metric('m')],
    args: [
      { name: 'a', value: '1' },
      { name: 'b', value: 'default' },
    ],
    dryRun: [{ metricName: 'm' }],
  });
  assert.throws(() => analysisRunFromTemplates({ ...wanted, args: [] }), /args\.a was not resolved/);
  assert.equal(isSameAnalysis(run, { ...run, spec: { ...run.spec, terminate: true } }), true);
  assert.equal(isSameAnalysis(run, { ...run, spec: { ...run.spec, args: [] } }), false);
});

test('arguments of a Rollout come from hashes, metadata and any of its fields', () => {
  const rollout = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web', labels: { app: 'x', b: 'y' }, annotations: { 'a/b': '1' } },
    spec: { replicas: 3, list: [{ x: true }] },
  };
  const value = (fieldPath: string) =>
    rolloutArguments([{ name: 'a', valueFrom: { fieldRef: { fieldPath } } }], {
      rollout,
      stableHash: 's',
      latestHash: 'l',
    })[0]?.value;
  assert.equal(value("metadata.labels['app']"), 'x');
  assert.equal(value("metadata.annotations['a/b']"), '1');
  assert.equal(value('metadata.labels'), 'app="x"\nb="y"');
  assert.equal(value('metadata.name'), 'web');
  assert.equal(value('spec.replicas'), '3');
  assert.equal(value('spec.list[0].x'), 'true');
  assert.throws(() => value('spec.list[1].x'), /index 1 out of range/);
  assert.throws(() => value('spec.list[a].x'), /invalid index 'a'/);
  assert.throws(() => value('spec.none'), /invalid path spec\.none in rollout/);
  assert.throws(() => value('spec.list'), /path spec\.list in rollout must terminate in a primitive value/);
  assert.throws(() => value('metadata.uids'), /unsupported fieldPath: metadata\.uids/);
  const hashes = rolloutArguments(
    [
      { name: 's', valueFrom: { podTemplateHashValue: 'Stable' } },
      { name: 'l', valueFrom: { podTemplateHashValue: 'Latest' } },
      { name: 'v', value: 'plain' },
    ],
    { rollout, stableHash: 's1', latestHash: 'l1' },
  );
  assert.deepEqual(
    hashes.map((arg) => arg.value),
    ['s1', 'l1', 'plain'],
  );
});

test('old runs go: those without ReplicaSet, and beyond the limits the oldest of each kind', () => {
  const run = (name: string, phase: string, hash: string | undefined, day: number) =>
    ({
      metadata: {
        name,
        creationTimestamp: `2030-01-0${day}T00:00:00Z`,
        labels: hash === undefined ? {} : analysisLabels({ type: 'Step', podHash: hash, stepIndex: 0 }),
      },
      status: { phase },
    }) as unknown as AnalysisRun;
  const replicaSet = (hash: string, metadata = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { labels: { 'rollouts-pod-template-hash': hash }, ...metadata },
  });
  const runs = [
    run('old-good', 'Successful', 'h', 1),
    run('good', 'Successful', 'h', 2),
    run('old-bad', 'Failed', 'h', 1),
    run('bad', 'Error', 'h', 3),
    run('running', 'Running', 'h', 1),
    run('lost', 'Successful', 'gone', 4),
    run('going', 'Successful', 'leaving', 4),
    run('bare', 'Running', undefined, 4),
  ];
  const deleted = analysisRunsToDelete(runs, {
    replicaSets: [replicaSet('h'), replicaSet('leaving', { deletionTimestamp: 'now' })],
    successfulLimit: 1,
    unsuccessfulLimit: 1,
  });
  assert.deepEqual(deleted.map(({ metadata }) => metadata.name).sort(), [
    'bare',
    'going',
    'lost',
    'old-bad',
    'old-good',
  ]);
});
