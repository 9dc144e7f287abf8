import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, ApplicationSet } from '@tiphys/api';
import { keyOf, ObjectStore, Reconciler } from '@tiphys/controller';
import { WorkQueue } from '@tiphys/kubernetes';
import { MemoryCluster, ScriptedClock } from '../../../foundation/controller/testing/index.ts';
import type { GeneratorSources } from '../generators/sources.ts';
import { OwnedApplications } from '../live/owned-applications.ts';
import { readSettings } from '../settings/settings.ts';
import { applicationSet, type FixedData, fixedSources } from '../testing/fixed-sources.ts';
import { newMemory, type SetContext, type SetMemory } from './reconciliation.ts';
import { steps } from './steps.ts';

/** A controller of ApplicationSets on a cluster in memory. */
class Bench {
  readonly cluster = new MemoryCluster();
  readonly clock = new ScriptedClock(Date.parse('2026-01-01T00:00:00Z'));
  readonly key = 'argocd/set';
  #reconciler: Reconciler<ApplicationSet, SetContext, SetMemory>;
  readonly #settings: ReadonlyMap<string, string>;
  readonly #sources: GeneratorSources;
  readonly errors: unknown[] = [];

  constructor(settings: Record<string, string> = {}, data: FixedData = {}) {
    this.#settings = new Map(
      Object.entries(settings).map(([key, value]) => [`applicationsetcontroller.${key}`, value]),
    );
    this.#sources = fixedSources(data);
    this.#reconciler = this.#start();
  }

  /** A new process: all that was remembered is gone. */
  restart(): void {
    this.#reconciler = this.#start();
  }

  #start(): Reconciler<ApplicationSet, SetContext, SetMemory> {
    const { client } = this.cluster;
    const view = this.cluster.view<Application>('Application');
    const context: SetContext = {
      client,
      controlNamespace: 'argocd',
      applications: new OwnedApplications({ ...view, state: () => ({ resourceVersion: '0' }) }),
      clusters: { list: () => [{ server: 'https://kubernetes.default.svc', name: 'in-cluster', project: '' }] },
      sources: this.#sources,
      settings: () => readSettings(this.#settings, {}),
    };
    return new Reconciler<ApplicationSet, SetContext, SetMemory>({
      name: 'applicationset',
      store: new ObjectStore({
        client,
        view: this.cluster.view<ApplicationSet>('ApplicationSet'),
        statusSubresource: true,
      }),
      queue: new WorkQueue({ clock: this.clock }),
      clock: this.clock,
      steps,
      context,
      memory: newMemory,
      onError: (_, error) => void this.errors.push(error),
    });
  }

  put(set: ApplicationSet): void {
    const old = this.cluster.object<ApplicationSet>({ ...ref, name: 'set', namespace: 'argocd' });
    const generation = (old?.metadata.generation ?? 0) + 1;
    this.cluster.put({
      ...set,
      metadata: { ...set.metadata, ...old?.metadata, generation },
      ...(old?.status ? { status: old.status } : {}),
    });
  }

  /** One pass; gives the requests that it made. A process that dies in it throws. */
  async pass(): Promise<string[]> {
    const before = this.cluster.requests.length;
    const store = this.set();
    const { key } = this;
    const pass = this.#reconciler.begin(key, store, new AbortController().signal, true);
    await this.#reconciler.walk(pass, steps);
    await pass.checkpoint();
    return this.cluster.requests.slice(before);
  }

  set(): ApplicationSet {
    const found = this.cluster.object<ApplicationSet>({ ...ref, name: 'set', namespace: 'argocd' });
    assert.ok(found);
    assert.equal(keyOf(found), this.key);
    return found;
  }

  names(): string[] {
    return this.cluster
      .objects<Application>('Application')
      .map(({ metadata }) => metadata.name ?? '')
      .sort();
  }
}

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet' };
const names = (count: number) => Array.from({ length: count }, (_, index) => `app-${String(index).padStart(4, '0')}`);
const listOf = (elements: readonly string[], more: object = {}) =>
  applicationSet({
    goTemplate: true,
    generators: [{ list: { elements: elements.map((name) => ({ name, path: 'p' })) } }],
    ...more,
  });

function template(set: ApplicationSet): ApplicationSet {
  set.spec.template.metadata.name = '{{.name}}';
  Object.assign(set.spec.template.spec.source ?? {}, { path: '{{.path}}' });
  return set;
}

test('2,000 Applications of one set: an element that changes costs one write of one Application, and no list', async () => {
  const bench = new Bench();
  const elements = names(2_000);
  bench.put(template(listOf(elements)));
  const made = await bench.pass();
  assert.equal(made.filter((request) => request.startsWith('create Application')).length, 2_000);
  // what was written settles the status; then there is nothing to do
  await bench.pass();
  assert.deepEqual(await bench.pass(), []);
  const set = template(listOf(elements));
  Object.assign((set.spec.generators[0]?.list?.elements?.[1_234] ?? {}) as object, { path: 'q' });
  bench.put(set);
  assert.deepEqual(await bench.pass(), ['patch Application argocd/app-1234']);
});

test('a process that dies at any write goes on in the next one, and makes everything once', async () => {
  for (let at = 0; at < 8; at++) {
    const bench = new Bench();
    bench.put(template(listOf(names(5))));
    let seen = 0;
    const { client } = bench.cluster;
    const wrap = <K extends 'create' | 'patch'>(verb: K) => {
      const real = client[verb].bind(client) as (...args: unknown[]) => Promise<unknown>;
      (client as unknown as Record<string, unknown>)[verb] = async (...args: unknown[]) => {
        if (seen++ === at) throw Object.assign(new Error('the process was killed'), { killed: true });
        return real(...args);
      };
    };
    wrap('create');
    wrap('patch');
    await bench.pass().catch(() => undefined);
    bench.restart();
    await bench.pass();
    await bench.pass();
    assert.deepEqual(bench.names(), names(5), `killed at write ${at}`);
    assert.equal(bench.set().status?.conditions?.find(({ type }) => type === 'ResourcesUpToDate')?.status, 'True');
  }
});

test('a write that somebody else has overtaken is planned anew; one that is refused is told, and the others go on', async () => {
  const bench = new Bench();
  bench.put(template(listOf(names(3))));
  await bench.pass();
  const changed = template(listOf(names(3)));
  Object.assign(changed.spec.template.metadata, { labels: { team: 'x' } });
  bench.put(changed);
  bench.cluster.fail(/patch Application argocd\/app-0001/, { status: 409, reason: 'Conflict' }, 2);
  bench.cluster.fail(/patch Application argocd\/app-0002/, { status: 403, reason: 'Forbidden' }, 9);
  await bench.pass();
  const labelled = bench.cluster.objects<Application>('Application').filter(({ metadata }) => metadata.labels?.team);
  assert.deepEqual(labelled.map(({ metadata }) => metadata.name).sort(), ['app-0000', 'app-0001']);
  const { conditions = [], diagnoses = [] } = bench.set().status ?? {};
  assert.equal(conditions.find(({ type }) => type === 'ErrorOccurred')?.reason, 'UpdateApplicationError');
  assert.equal(diagnoses[0]?.place?.object, 'Application argocd/app-0002');
});

test('policies: what may not be updated stays, what may not be deleted stays', async () => {
  const bench = new Bench();
  bench.put(template(listOf(names(3))));
  await bench.pass();
  const policy = (applicationsSync: string, elements: readonly string[], path: string) => {
    const set = template(listOf(elements, { syncPolicy: { applicationsSync } }));
    Object.assign(set.spec.template.spec.source ?? {}, { path });
    bench.put(set);
    return bench.pass();
  };
  const paths = () => new Set(bench.cluster.objects<Application>('Application').map(({ spec }) => spec.source?.path));
  await policy('create-only', names(4).slice(1), 'new');
  assert.deepEqual([bench.names().length, [...paths()].sort()], [4, ['new', 'p']]);
  await policy('create-update', names(4).slice(1), 'newer');
  assert.deepEqual([bench.names().length, [...paths()].sort()], [4, ['newer', 'p']]);
  await policy('create-delete', names(4).slice(1), 'newest');
  assert.deepEqual([bench.names(), [...paths()]], [names(4).slice(1), ['newer']]);
  const fixed = new Bench({ policy: 'create-only' });
  fixed.put(template(listOf(names(2), { syncPolicy: { applicationsSync: 'sync' } })));
  await fixed.pass();
  fixed.put(template(listOf(names(1), { syncPolicy: { applicationsSync: 'sync' } })));
  await fixed.pass();
  assert.equal(fixed.names().length, 2);
});

test('many deletions wait over restarts, and are made when the next evaluation agrees', async () => {
  const bench = new Bench();
  bench.put(template(listOf(names(10))));
  await bench.pass();
  bench.restart();
  bench.put(template(listOf(names(2))));
  await bench.pass();
  assert.equal(bench.names().length, 10);
  bench.restart();
  await bench.clock.advance(30_000);
  await bench.pass();
  assert.equal(bench.names().length, 10);
  await bench.clock.advance(31_000);
  await bench.pass();
  assert.deepEqual(bench.names(), names(2));
  assert.equal(bench.set().metadata.annotations?.['tiphys.dev/pending-deletions'], undefined);
});

test('names that come twice and projects that there are not are left out, and told; nothing of theirs is deleted', async () => {
  const bench = new Bench();
  bench.put(template(listOf(['a', 'b', 'b', 'Not a name'])));
  await bench.pass();
  assert.deepEqual(bench.names(), ['a']);
  const error = bench.set().status?.conditions?.find(({ type }) => type === 'ErrorOccurred');
  assert.match(error?.message ?? '', /contains applications with duplicate name: b \(and 1 more\)$/);
  const { diagnoses = [] } = bench.set().status ?? {};
  assert.ok(diagnoses.some(({ evidence }) => evidence.some(({ value }) => value === 'elements[3]')));
});

test('an Application that no step of a RollingSync selects is told of, with its labels', async () => {
  const bench = new Bench({ 'enable.progressive.syncs': 'true' });
  const steps = (value: string) => [{ matchExpressions: [{ key: 'stage', operator: 'In', values: [value] }] }];
  const labelled = (value: string) => {
    const set = template(listOf(['shop'], { strategy: { type: 'RollingSync', rollingSync: { steps: steps(value) } } }));
    Object.assign(set.spec.template.metadata, { labels: { stage: 'dev' } });
    return set;
  };
  bench.put(labelled('prod'));
  await bench.pass();
  const [told] = bench.set().status?.diagnoses ?? [];
  assert.equal(told?.code, 'RolloutStepMissing');
  assert.match(JSON.stringify(told), /selects shop: nothing syncs it.*stage=dev.*stage In \[prod\]/);
  bench.put(labelled('dev'));
  await bench.pass();
  assert.equal(bench.set().status?.diagnoses, undefined);
});

test('a RollingSync without steps is told to have no effect, in its diagnoses alone: its conditions are those of upstream', async () => {
  const bench = new Bench({ 'enable.progressive.syncs': 'true' });
  bench.put(template(listOf(['shop'], { strategy: { type: 'RollingSync', rollingSync: {} } })));
  await bench.pass();
  const { conditions, diagnoses } = bench.set().status ?? {};
  const types = ['ErrorOccurred', 'ParametersGenerated', 'ResourcesUpToDate', 'RolloutProgressing'];
  assert.deepEqual(
    conditions?.map(({ type }) => type),
    types,
  );
  assert.deepEqual(
    diagnoses?.map(({ code, place }) => [code, place?.field]),
    [['StrategyIgnored', 'spec.strategy.rollingSync.steps']],
  );
});
