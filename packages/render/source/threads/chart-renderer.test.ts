import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { RenderTurns, type RenderTurnsOptions } from '../turns/render-turns.ts';
import { ChartRenderer, type ChartRequest } from './chart-renderer.ts';
import type { ThreadLimits } from './thread-pool.ts';

const renderers: ChartRenderer[] = [];
after(() => Promise.all(renderers.map((renderer) => renderer.close())));

function turns(options: Partial<RenderTurnsOptions> = {}): RenderTurns {
  return new RenderTurns({ threads: 2, slowAfter: 30_000, tellAfter: 30_000, ...options });
}

function renderer(limits: Partial<ThreadLimits> = {}, shared = turns()): ChartRenderer {
  const made = new ChartRenderer({ time: 30_000, memory: 500, idle: 60_000, ...limits }, shared);
  renderers.push(made);
  return made;
}

function request(template: string, more: Partial<ChartRequest> = {}): ChartRequest {
  const files = {
    'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'templates/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {value: "${template}"}\n`,
  };
  return {
    chart: {
      key: template,
      folder: 'deploy/web',
      files: async () => Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])),
    },
    invocation: {
      releaseName: 'r',
      namespace: 'n',
      values: [],
      set: [],
      setString: [],
      setFile: [],
      apiVersions: [],
      includeCrds: true,
      skipTests: false,
      skipSchemaValidation: false,
    },
    recorded: [],
    answers: new Map(),
    remoteSchemas: new Map(),
    maxObjects: 100,
    onLookups: () => undefined,
    caller: { project: 'default', work: template },
    ...more,
  };
}

function renderedValue({ objects }: Awaited<ReturnType<ChartRenderer['render']>>): string | undefined {
  const data = objects[0]?.object.data as { value: string } | undefined;
  return data?.value;
}

/** Steps without end, as far as a test is concerned. */
const endless = '{{ range until 2000 }}{{ range until 20000 }}{{ $x := printf `%0999d` 1 }}{{ end }}{{ end }}';
const hungry =
  '{{ $all := list }}{{ range until 400 }}{{ $all = append $all (splitList `` (repeat 400000 `x`)) }}{{ end }}';

test('there is no thread before the first chart, and none some time after the last', async () => {
  const charts = renderer({ idle: 1 });
  assert.equal(charts.threads, 0);
  assert.equal(renderedValue(await charts.render(request('one'))), 'one');
  while (charts.threads > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(renderedValue(await charts.render(request('two'))), 'two', 'another thread takes its place');
});

test('a chart that does not end is stopped while others are served, and says where it was', async () => {
  const charts = renderer({ time: 1_500, grace: 60 });
  const stopped = assert.rejects(charts.render(request(endless)), (error: unknown) => {
    assert.ok(error instanceof DiagnosisError);
    assert.equal(error.diagnosis.code, 'RenderTooCostly');
    assert.match(error.diagnosis.message, /web is stopped: the limit on time was exceeded/);
    assert.equal(error.diagnosis.place?.file, 'deploy/web/templates/a.yaml');
    assert.equal(error.handling, 'retryable');
    return true;
  });
  assert.equal(renderedValue(await charts.render(request('served'))), 'served');
  await stopped;
});

test('a thread that does not end by itself is ended from outside', async () => {
  const charts = renderer({ time: 1_500, grace: 0.5 });
  await assert.rejects(charts.render(request(endless)), /did not render within 0.75 s, and was stopped/);
  assert.equal(renderedValue(await charts.render(request('after'))), 'after');
});

test('a chart that needs too much memory takes its thread along and nothing else', async () => {
  const charts = renderer({ memory: 60 });
  await assert.rejects(charts.render(request(hungry)), (error: unknown) => {
    assert.ok(error instanceof DiagnosisError, String(error));
    assert.match(error.diagnosis.message, /deploy\/web needs more than 60 MB/);
    assert.ok(error.diagnosis.remedies.length > 0);
    return true;
  });
  assert.equal(renderedValue(await charts.render(request('after'))), 'after');
});

test('a cancelled render ends at once', async () => {
  const charts = renderer();
  const abort = new AbortController();
  const cancelled = charts.render(request(endless, { signal: abort.signal }));
  setImmediate(() => abort.abort(new Error('nobody wants it any more')));
  await assert.rejects(cancelled, /nobody wants it any more/);
  assert.equal(renderedValue(await charts.render(request('after'))), 'after');
});

test('what a chart looked up is told, also when it fails', async () => {
  const charts = renderer();
  const asked: string[] = [];
  const onLookups: ChartRequest['onLookups'] = (lookups) => void asked.push(...lookups.map(({ name }) => name));
  const looking = '{{ $found := lookup `v1` `Secret` `n` `s` }}{{ get $found `key` | required `no key` }}';
  await assert.rejects(charts.render(request(looking, { onLookups })), /no key/);
  assert.deepEqual(asked, ['s']);
  const answers = new Map([[JSON.stringify(['v1', 'Secret', 'n', 's']), { key: 'found' }]]);
  assert.equal(renderedValue(await charts.render(request(looking, { onLookups, answers }))), 'found');
});

test('five charts that compute passwords do not delay the chart of another project', async () => {
  const charts = renderer({}, turns({ slowAfter: 50 }));
  const password = '{{ range until 4000 }}{{ $x := htpasswd `u` `p` }}{{ end }}';
  const abort = new AbortController();
  const ended: string[] = [];
  const hostile = Array.from({ length: 5 }, (_, at) =>
    charts
      .render(request(`${password}${at}`, { caller: { project: 'hostile', work: `${at}` }, signal: abort.signal }))
      .then(
        () => ended.push('hostile'),
        () => ended.push('stopped'),
      ),
  );
  for (const name of ['a', 'b', 'c'])
    assert.equal(
      renderedValue(await charts.render(request(name, { caller: { project: 'friendly', work: name } }))),
      name,
    );
  assert.deepEqual(ended, [], 'none of the hostile ones was waited for');
  abort.abort(new Error('enough'));
  await Promise.all(hostile);
});
