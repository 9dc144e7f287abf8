import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, ObjectStore, Reconciler } from '@tiphys/controller';
import { type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { AnalysisRun, Measurement, Metric } from '../model/types.ts';
import { analysisRun, providerContext, standIn } from '../testing/index.ts';
import type { AnalysisContext, AnalysisPass } from './pass.ts';
import { analyse, retire } from './steps.ts';

/** A run in a cluster in memory; each pass tells when it wants the next. */
function bench(
  run: AnalysisRun,
  secrets: Record<string, Record<string, string>> = {},
  extra: Partial<AnalysisContext> = {},
) {
  const context = { ...providerContext(run, secrets), ...extra };
  const { cluster, clock } = context;
  cluster.put(run);
  const store = new ObjectStore<AnalysisRun>({ client: cluster.client, view: cluster.view('AnalysisRun') });
  const reconciler = new Reconciler<AnalysisRun, AnalysisContext, undefined>({
    name: 'analysisrun',
    store,
    queue: new WorkQueue({ clock }),
    clock,
    steps: [retire, analyse],
    context,
    memory: () => undefined,
    onError: (_, error) => assert.fail(String(error)),
  });
  const signal = new AbortController().signal;
  const stored = () => cluster.objects<AnalysisRun>('AnalysisRun')[0];
  return {
    cluster,
    clock,
    stored,
    async pass(): Promise<{ events: string[]; requeueAfter: number | undefined }> {
      const object = stored();
      assert.ok(object);
      const pass: AnalysisPass = reconciler.begin(keyOf(object), object, signal, true);
      await reconciler.walk(pass, [retire, analyse]);
      const events = pass.announcements.map((event) => ('reason' in event ? `${event.type} ${event.reason}` : ''));
      if (stored()) await pass.checkpoint();
      return { events, requeueAfter: pass.requeueAfter };
    },
  };
}

test('an analysis measures at its interval until its count, and tells of it', async () => {
  const server = await standIn(() => ({ body: { ok: true } }));
  try {
    const metric: Metric = {
      name: 'web',
      interval: '30s',
      count: 2,
      successCondition: 'result.ok',
      provider: { web: { url: server.url } },
    };
    const { pass, clock, stored } = bench(analysisRun([metric]));
    assert.deepEqual(await pass(), { events: [], requeueAfter: 30_000 });
    assert.equal(stored()?.status?.phase, 'Running');
    assert.deepEqual(await pass(), { events: [], requeueAfter: 30_000 });
    assert.equal(server.requests.length, 1);
    await clock.advance(30_000);
    const { events } = await pass();
    assert.deepEqual(events, ['Normal MetricSuccessful', 'Normal AnalysisRunSuccessful']);
    const status = stored()?.status;
    assert.equal(status?.phase, 'Successful');
    assert.equal(status?.startedAt, '2026-01-01T00:00:00Z');
    assert.equal(status?.completedAt, '2026-01-01T00:00:30Z');
    assert.deepEqual(status?.runSummary, { count: 1, successful: 1 });
    assert.deepEqual(
      status?.metricResults?.[0]?.measurements?.map(({ value }) => value),
      ['{"ok":true}', '{"ok":true}'],
    );
  } finally {
    await server.close();
  }
});

test('no value of a Secret is stored, wherever the provider puts it', async () => {
  const token = 'Pa55 w&rd=="';
  const server = await standIn(({ headers }) => ({ status: 200, body: { echo: headers['x-token'], list: [token] } }));
  try {
    const metric: Metric = {
      name: 'web',
      successCondition: 'result.list[0] + 1',
      provider: {
        web: {
          url: `${server.url}/?t={{args.token}}`,
          headers: [{ key: 'X-Token', value: '{{args.token}}' }],
        },
      },
    };
    const prometheus: Metric = {
      name: 'p',
      provider: { prometheus: { address: 'http://127.0.0.1:1', query: 'x{a="{{args.token}}"}' } },
    };
    const args = [{ name: 'token', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }];
    const { pass, stored } = bench(analysisRun([metric, prometheus], { args }), { 'shop/s': { k: token } });
    await pass();
    assert.equal(server.requests[0]?.headers['x-token'], token);
    const text = JSON.stringify(stored());
    for (const form of [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)])
      assert.equal(text.includes(form), false, `${form} is stored`);
    assert.equal(stored()?.status?.metricResults?.[1]?.metadata?.ResolvedPrometheusQuery, 'x{a="*****"}');
  } finally {
    await server.close();
  }
});

test('a spec that cannot be run ends as an error that says why', async () => {
  const wrong: readonly [AnalysisRun, string][] = [
    [analysisRun([]), 'Analysis spec invalid: no metrics specified'],
    [
      analysisRun([{ name: 'm', successCondition: '{{args.x}}', provider: { web: { url: '' } } }]),
      'Unable to resolve metric arguments: failed to resolve {{args.x}}',
    ],
    [
      analysisRun([{ name: 'm', provider: { web: { url: '' } } }], { dryRun: [{ metricName: 'x' }] }),
      "Analysis spec invalid: dryRun[0]: Rule didn't match any metric name(s)",
    ],
  ];
  for (const [run, message] of wrong) {
    const { pass, stored } = bench(run);
    assert.deepEqual((await pass()).events, ['Warning AnalysisRunError']);
    assert.equal(stored()?.status?.phase, 'Error');
    assert.equal(stored()?.status?.message, message);
  }
});

test('a completed run is left alone, and deleted when its time is over', async () => {
  const run = analysisRun([{ name: 'm', provider: { web: { url: '' } } }], {
    ttlStrategy: { secondsAfterCompletion: 60 },
  });
  const { pass, clock, stored } = bench({ ...run, status: { phase: 'Failed', completedAt: '2026-01-01T00:00:00Z' } });
  assert.deepEqual(await pass(), { events: [], requeueAfter: 61_000 });
  await clock.advance(61_000);
  await pass();
  assert.equal(stored(), undefined);
});

const jobMetric: Metric = {
  name: 'a-rather-long-name-of-a-metric-that-runs-a-job',
  provider: { job: { metadata: { labels: { team: 'x' } }, spec: { template: { spec: { containers: [] } } } } },
};

function jobBench(run: AnalysisRun) {
  const views = { pods: [] as KubeObject[] };
  const made = bench(
    run,
    {},
    {
      jobs: {
        job: (namespace, name) => made.cluster.object({ apiVersion: 'batch/v1', kind: 'Job', namespace, name }),
        jobsOf: () => made.cluster.objects('Job'),
        podsOf: () => views.pods,
      },
    },
  );
  return { ...made, views, job: () => made.cluster.objects('Job')[0] as KubeObject };
}

const measurement = (run: AnalysisRun | undefined): Measurement | undefined =>
  run?.status?.metricResults?.[0]?.measurements?.at(-1);

for (const [condition, phase] of [
  ['Complete', 'Successful'],
  ['Failed', 'Failed'],
] as const)
  test(`a Job that is ${condition} is a measurement that ${phase === 'Failed' ? 'failed' : 'succeeded'}`, async () => {
    const { pass, stored, cluster, job } = jobBench(analysisRun([jobMetric]));
    await pass();
    const made = job();
    assert.equal(made.metadata.name?.length, 63);
    assert.equal(made.metadata.labels?.team, 'x');
    assert.equal(made.metadata.ownerReferences?.[0]?.kind, 'AnalysisRun');
    assert.equal(measurement(stored())?.metadata?.['job-name'], made.metadata.name);
    await pass();
    assert.equal(stored()?.status?.phase, 'Running');
    cluster.put({ ...made, status: { conditions: [{ type: condition, status: 'True' }] } });
    await pass();
    assert.equal(stored()?.status?.phase, phase);
  });

test('a Job whose image cannot be pulled is inconclusive and says so', async () => {
  const { pass, stored, views } = jobBench(analysisRun([jobMetric]));
  await pass();
  views.pods.push({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    status: {
      containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } } }],
    },
  });
  await pass();
  assert.equal(stored()?.status?.phase, 'Inconclusive');
  assert.match(
    measurement(stored())?.message ?? '',
    /Pod p, container c has terminal error \(ErrImagePull\): no such image/,
  );
});

test('a terminated run ends its Job', async () => {
  const { pass, stored, cluster, job } = jobBench(analysisRun([jobMetric]));
  await pass();
  const run = stored() as AnalysisRun;
  cluster.put({ ...run, spec: { ...run.spec, terminate: true } });
  await pass();
  assert.equal(job(), undefined);
  assert.equal(stored()?.status?.phase, 'Inconclusive');
  assert.equal(measurement(stored())?.message, 'Metric Terminated');
  assert.match(stored()?.status?.message ?? '', /inconclusive \(1\) > inconclusiveLimit \(0\)/);
});

test('the Job of a pass that died before it wrote is taken up again', async () => {
  const { pass, stored, cluster } = jobBench(analysisRun([jobMetric]));
  await pass();
  const run = stored() as AnalysisRun;
  const { status: _, ...fresh } = run;
  cluster.put(fresh as AnalysisRun);
  await pass();
  assert.equal(cluster.objects('Job').length, 1);
  assert.equal(measurement(stored())?.phase, 'Running');
});
