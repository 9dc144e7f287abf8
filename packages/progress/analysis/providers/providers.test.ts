import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metric } from '../model/types.ts';
import { analysisRun, providerContext, type SeenRequest, standIn } from '../testing/index.ts';
import { providerOf } from './index.ts';
import type { Reading } from './provider.ts';

interface Case {
  readonly name: string;
  /** The metric's provider, given the stand-in's URL. */
  readonly provider: (url: string) => Metric['provider'];
  readonly secrets?: (url: string) => Record<string, Record<string, string>>;
  readonly environment?: (url: string) => Record<string, string>;
  readonly answer?: (request: SeenRequest) => { status?: number; body: unknown };
  readonly reading?: Reading;
  readonly refusal?: RegExp;
  readonly asked?: (requests: SeenRequest[]) => void;
}

async function run({ provider, secrets, environment, answer, reading, refusal, asked }: Case): Promise<void> {
  const server = await standIn(answer ?? (() => ({ body: {} })));
  try {
    const metric: Metric = { name: 'm', interval: '1m', provider: provider(server.url) };
    const context = providerContext(analysisRun([metric]), secrets?.(server.url), {
      environment: environment?.(server.url) ?? {},
    });
    const chosen = providerOf(metric);
    assert.ok(chosen.kind === 'query');
    if (refusal) await assert.rejects(chosen.query(metric, context), refusal);
    else assert.deepEqual(await chosen.query(metric, context), reading);
    asked?.(server.requests);
  } finally {
    await server.close();
  }
}

const prom = (url: string, more: object = {}) => ({ prometheus: { address: url, query: 'up', ...more } });
const vector = (...values: string[]) => ({
  body: {
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) },
  },
});
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const form = (request: SeenRequest | undefined) => Object.fromEntries(new URLSearchParams(request?.body));

const cases: readonly Case[] = [
  {
    name: 'Prometheus: a vector, headers, basic authentication, the very time',
    provider: (url) =>
      prom(`${url}/prefix/`, {
        headers: [{ key: 'X-Scope', value: 'a' }],
        authentication: { basicAuth: { username: 'u', password: 'p' } },
      }),
    answer: () => vector('0.5', '1e21', 'NaN', '+Inf'),
    reading: {
      value: '[0.5,1000000000000000000000,NaN,+Inf]',
      result: [0.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY],
    },
    asked: ([request]) => {
      assert.equal(request?.url, '/prefix/api/v1/query');
      assert.equal(request?.headers['x-scope'], 'a');
      assert.equal(request?.headers.authorization, basic('u', 'p'));
      assert.deepEqual(form(request), { query: 'up', time: '1767225600.000' });
    },
  },
  {
    name: 'Prometheus: a scalar with warnings, asked by GET where POST is not taken, at the address of the environment',
    provider: () => ({ prometheus: { query: '1' } }),
    environment: (url) => ({ ARGO_ROLLOUTS_PROMETHEUS_ADDRESS: url }),
    answer: ({ method }) =>
      method === 'POST'
        ? { status: 405, body: '' }
        : { body: { status: 'success', data: { resultType: 'scalar', result: [1, '4'] }, warnings: ['slow', 'old'] } },
    reading: { value: '4', result: 4, metadata: { warnings: '"slow", "old"' } },
  },
  {
    name: 'Prometheus: a range',
    provider: (url) => prom(url, { rangeQuery: { start: 'now() - duration("1m")', end: 'now()', step: '30s' } }),
    answer: () => ({
      body: {
        status: 'success',
        data: {
          resultType: 'matrix',
          result: [
            {
              values: [
                [1, '1'],
                [2, '2'],
              ],
            },
            { values: [[1, '3']] },
          ],
        },
      },
    }),
    reading: { value: '[1,2,3]', result: [1, 2, 3] },
    asked: ([request]) => {
      assert.equal(request?.url, '/api/v1/query_range');
      assert.deepEqual(form(request), { query: 'up', start: '1767225540.000', end: '1767225600.000', step: '30' });
    },
  },
  {
    name: 'Prometheus: a header of the metric comes before its basic authentication',
    provider: (url) =>
      prom(url, {
        headers: [{ key: 'Authorization', value: 'Bearer own' }],
        authentication: { basicAuth: { username: 'u', password: 'p' } },
      }),
    answer: () => vector('1'),
    reading: { value: '[1]', result: [1] },
    asked: ([request]) => assert.equal(request?.headers.authorization, 'Bearer own'),
  },
  {
    name: 'Prometheus: a token of OAuth2, whose server wants the client in the form',
    provider: (url) =>
      prom(url, {
        authentication: {
          oauth2: { tokenUrl: `${url}/token`, clientId: 'id', clientSecret: 'secret', scopes: ['a', 'b'] },
        },
      }),
    answer: ({ url, headers }) => {
      if (url !== '/token') return vector('1');
      return headers.authorization ? { status: 401, body: '' } : { body: { access_token: 'T', token_type: 'bearer' } };
    },
    reading: { value: '[1]', result: [1] },
    asked: ([first, second, third]) => {
      assert.equal(first?.headers.authorization, basic('id', 'secret'));
      assert.deepEqual(form(second), {
        grant_type: 'client_credentials',
        scope: 'a b',
        client_id: 'id',
        client_secret: 'secret',
      });
      assert.equal(third?.headers.authorization, 'Bearer T');
    },
  },
  {
    name: 'Prometheus: requests to Amazon are signed',
    provider: (url) => prom(`${url}/aps-workspaces/w`, { authentication: { sigv4: { region: 'eu-west-1' } } }),
    answer: () => vector('1'),
    reading: { value: '[1]', result: [1] },
    asked: ([request]) =>
      assert.match(
        request?.headers.authorization ?? '',
        /^AWS4-HMAC-SHA256 Credential=AKID\/20260101\/eu-west-1\/aps\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
      ),
  },
  {
    name: 'Prometheus: its own words for a query that is wrong',
    provider: prom,
    answer: () => ({ status: 400, body: { status: 'error', errorType: 'bad_data', error: 'parse error' } }),
    refusal: /bad_data: parse error/,
  },
  {
    name: 'Prometheus: an error page',
    provider: prom,
    answer: () => ({ status: 502, body: 'x' }),
    refusal: /server error: 502/,
  },
  {
    name: 'Prometheus: no address',
    provider: () => ({ prometheus: { query: 'up' } }),
    refusal: /prometheus address is not configured/,
  },
  { name: 'Prometheus: no URL', provider: () => prom('prom:9090'), refusal: /prometheus address is not is url format/ },
  {
    name: 'Prometheus: half of basic authentication',
    provider: (url) => prom(url, { authentication: { basicAuth: { username: 'u' } } }),
    refusal: /missing mandatory parameter in metric for basic auth setup: password/,
  },
  {
    name: 'web: JSON by a path, sent with a body',
    provider: (url) => ({
      web: {
        url: `${url}/x`,
        method: 'POST',
        jsonBody: { a: [1] },
        jsonPath: '{$.items[?(@.name=="b")].value}',
        headers: [{ key: 'Authorization', value: 'Bearer x' }],
      },
    }),
    answer: () => ({ body: { items: [{ name: 'a' }, { name: 'b', value: { z: 1, a: '<' } }] } }),
    reading: { value: '{"a":"\\u003c","z":1}', result: { z: 1, a: '<' } },
    asked: ([request]) => {
      assert.equal(request?.body, '{"a":[1]}');
      assert.equal(request?.headers['content-type'], 'application/json');
      assert.equal(request?.headers.authorization, 'Bearer x');
    },
  },
  {
    name: 'web: a token of OAuth2 in place of a header',
    provider: (url) => ({
      web: {
        url: `${url}/x`,
        jsonPath: '{$.ok}',
        headers: [{ key: 'Authorization', value: 'Bearer own' }],
        authentication: { oauth2: { tokenUrl: `${url}/token`, clientId: 'id', clientSecret: 'secret' } },
      },
    }),
    answer: ({ url }) => ({ body: url === '/token' ? { access_token: 'T' } : { ok: true } }),
    reading: { value: 'true', result: true },
    asked: (requests) => {
      assert.deepEqual(form(requests[0]), { grant_type: 'client_credentials' });
      assert.equal(requests[1]?.headers.authorization, 'Bearer T');
    },
  },
  {
    name: 'web: half of OAuth2',
    provider: (url) => ({ web: { url, authentication: { oauth2: { tokenUrl: `${url}/token`, clientId: 'id' } } } }),
    refusal: /missing mandatory parameter in metric for OAuth2 setup/,
  },
  {
    name: 'web: basic authentication',
    provider: (url) => ({ web: { url, authentication: { basicAuth: { username: 'u', password: 'p' } } } }),
    answer: () => ({ body: 'fine' }),
    reading: { value: 'fine', result: 'fine' },
    asked: ([request]) => assert.equal(request?.headers.authorization, basic('u', 'p')),
  },
  {
    name: 'web: half of basic authentication',
    provider: (url) => ({ web: { url, authentication: { basicAuth: { password: 'p' } } } }),
    refusal: /missing mandatory parameter in metric for basic auth setup: username/,
  },
  {
    name: 'web: signatures of AWS',
    provider: (url) => ({ web: { url, authentication: { sigv4: { region: 'eu-west-1' } } } }),
    refusal: /authentication.sigv4 signs requests to Amazon Managed Prometheus alone/,
  },
  {
    name: 'web: text',
    provider: (url) => ({ web: { url } }),
    answer: () => ({ body: 'fine' }),
    reading: { value: 'fine', result: 'fine' },
  },
  {
    name: 'web: an error page',
    provider: (url) => ({ web: { url } }),
    answer: () => ({ status: 300, body: '' }),
    refusal: /received non 2xx response code: 300/,
  },
  {
    name: 'web: a path that finds nothing',
    provider: (url) => ({ web: { url, jsonPath: '{$.none}' } }),
    refusal: /Could not find JSONPath in body/,
  },
  {
    name: 'web: a body for GET',
    provider: (url) => ({ web: { url, body: 'x' } }),
    refusal: /can only be used with POST or PUT/,
  },
  {
    name: 'web: nobody there',
    provider: () => ({ web: { url: 'http://127.0.0.1:1/' } }),
    refusal: /Get "http:\/\/127\.0\.0\.1:1\/": .*ECONNREFUSED/,
  },
  {
    name: 'Graphite: the first target without its gaps',
    provider: (url) => ({ graphite: { address: `${url}/g`, query: 'target=a( b )&from=-5min' } }),
    answer: () => ({
      body: [
        {
          target: 'a',
          datapoints: [
            [0.5, 1],
            [null, 2],
            ['2', 3],
          ],
        },
        { datapoints: [[9, 1]] },
      ],
    }),
    reading: { value: '[0.500000,2.000000]', result: [0.5, 2] },
    asked: ([request]) => assert.equal(request?.url, '/g/render?format=json&from=-5min&target=a%28b%29'),
  },
  {
    name: 'Graphite: no values',
    provider: (url) => ({ graphite: { address: url, query: 'target=a' } }),
    answer: () => ({ body: [] }),
    refusal: /no values found/,
  },
  {
    name: 'SkyWalking: the last minutes',
    provider: (url) => ({ skywalking: { address: url, query: 'query {x}', interval: '3m' } }),
    answer: () => ({ body: { data: { x: { b: 1, a: 2 } } } }),
    reading: { value: '{"x":{"a":2,"b":1}}', result: { x: { b: 1, a: 2 } } },
    asked: ([request]) =>
      assert.deepEqual(JSON.parse(request?.body ?? '').variables.duration, {
        start: '2025-12-31 2357',
        end: '2026-01-01 0000',
        step: 'MINUTE',
      }),
  },
  {
    name: 'SkyWalking: its errors',
    provider: (url) => ({ skywalking: { address: url, query: 'q', interval: '3m' } }),
    answer: () => ({ body: { errors: [{ message: 'no such field' }] } }),
    refusal: /graphql: no such field/,
  },
  {
    name: 'New Relic: one row, with the profile of the control plane',
    provider: () => ({ newRelic: { profile: 'nr', query: 'SELECT 1' } }),
    secrets: (url) => ({
      'argo-rollouts/nr': { 'personal-api-key': 'K', 'account-id': '7', 'base-url-nerdgraph': url },
    }),
    answer: () => ({ body: { data: { actor: { account: { nrql: { results: [{ count: 3 }] } } } } } }),
    reading: { value: '{"count":3}', result: { count: 3 } },
    asked: ([request]) => {
      assert.equal(request?.headers['api-key'], 'K');
      assert.deepEqual(JSON.parse(request?.body ?? '').variables, { accountId: 7, query: 'SELECT 1', timeout: 5 });
    },
  },
  {
    name: 'New Relic: no rows',
    provider: () => ({ newRelic: { query: 'SELECT 1' } }),
    secrets: (url) => ({
      'argo-rollouts/newrelic': { 'personal-api-key': 'K', 'account-id': '7', 'base-url-nerdgraph': url },
    }),
    refusal: /no results returned from NRQL query/,
  },
  {
    name: 'New Relic: half a profile',
    provider: () => ({ newRelic: { query: 'SELECT 1' } }),
    secrets: () => ({ 'argo-rollouts/newrelic': { 'account-id': '7' } }),
    refusal: /account ID or personal API key not found/,
  },
  {
    name: 'Wavefront: the points nearest to now of each series',
    provider: (url) => ({ wavefront: { address: url, query: 'ts(a)' } }),
    secrets: (url) => ({ 'argo-rollouts/wavefront-api-tokens': { [url]: 'T' } }),
    answer: () => ({
      body: {
        timeseries: [
          {
            data: [
              [1767225590, 1],
              [1767225601, 2.5],
            ],
          },
          { data: [[1767225500, 3]] },
        ],
        warnings: 'w',
      },
    }),
    reading: {
      value: '[2.50,3.00]',
      result: [2.5, 3],
      metadata: { warnings: 'w', timestamps: '[1767225601,1767225500]', drift: '[1,-100]' },
    },
    asked: ([request]) => {
      assert.equal(request?.headers.authorization, 'Bearer T');
      assert.match(request?.url ?? '', /q=ts%28a%29&s=1767225600000&e=1767225600000&g=s&p=1/);
    },
  },
  {
    name: 'InfluxDB: the values of all records',
    provider: () => ({ influxdb: { profile: 'i', query: 'from(bucket:"b")' } }),
    secrets: (url) => ({ 'argo-rollouts/i': { authToken: 'T', org: 'o', address: url } }),
    answer: () => ({
      body: [
        '#datatype,string,long,double,string',
        '#group,false,false,false,true',
        '#default,_result,,,',
        ',result,table,_value,name',
        ',,0,1.5,"a ""quoted"", name"',
        ',,0,2,b',
        '',
        '#datatype,string,long,string',
        ',result,table,_value',
        ',,1,text',
        '',
      ].join('\r\n'),
    }),
    reading: { value: '[1.5 2 text]', result: [1.5, 2, 'text'] },
    asked: ([request]) => {
      assert.equal(request?.url, '/api/v2/query?org=o');
      assert.equal(request?.headers.authorization, 'Token T');
    },
  },
  {
    name: 'InfluxDB: no records',
    provider: () => ({ influxdb: { query: 'q' } }),
    secrets: (url) => ({ 'argo-rollouts/influxdb': { authToken: 'T', org: 'o', address: url } }),
    answer: () => ({ body: '\r\n' }),
    refusal: /no results returned from flux query/,
  },
  {
    name: 'Datadog v1: the last point, with the environment',
    provider: () => ({ datadog: { query: 'avg:x', interval: '5m' } }),
    environment: (url) => ({ DD_ADDRESS: url, DD_API_KEY: 'A', DD_APP_KEY: 'B' }),
    answer: () => ({
      body: {
        series: [
          {
            pointlist: [
              [1, 1],
              [2, 0.0000001],
            ],
          },
        ],
      },
    }),
    reading: { value: '0.0000001', result: 1e-7 },
    asked: ([request]) => {
      assert.equal(request?.url, '/api/v1/query?from=1767225300&query=avg%3Ax&to=1767225600');
      assert.equal(request?.headers['dd-api-key'], 'A');
      assert.equal(request?.headers['dd-application-key'], 'B');
    },
  },
  {
    name: 'Datadog v1: no data',
    provider: () => ({ datadog: { query: 'avg:x', secretRef: { name: 'dd', namespaced: true } } }),
    secrets: (url) => ({ 'shop/dd': { address: url, 'api-key': 'A', 'app-key': 'B' } }),
    answer: () => ({ body: { series: [] } }),
    reading: { value: '[]', result: null },
  },
  {
    name: 'Datadog v2: a formula of queries',
    provider: () => ({
      datadog: { apiVersion: 'v2', queries: { a: 'x', b: 'y' }, formula: 'a/b', aggregator: 'sum', interval: '1m' },
    }),
    secrets: (url) => ({ 'argo-rollouts/datadog': { address: url, 'api-key': 'A', 'app-key': 'B' } }),
    answer: () => ({ body: { data: { attributes: { columns: [{ type: 'number', name: 'f', values: [0.25] }] } } } }),
    reading: { value: '0.25', result: 0.25 },
    asked: ([request]) =>
      assert.deepEqual(JSON.parse(request?.body ?? ''), {
        data: {
          type: 'scalar_request',
          attributes: {
            from: 1767225540000,
            to: 1767225600000,
            queries: [
              { aggregator: 'sum', data_source: 'metrics', name: 'a', query: 'x' },
              { aggregator: 'sum', data_source: 'metrics', name: 'b', query: 'y' },
            ],
            formulas: [{ formula: 'a/b' }],
          },
        },
      }),
  },
  {
    name: 'Datadog v2: groups, though there is one, without those that have no data',
    provider: () => ({ datadog: { apiVersion: 'v2', query: 'x by {host}' } }),
    secrets: (url) => ({ 'argo-rollouts/datadog': { address: url, 'api-key': 'A', 'app-key': 'B' } }),
    answer: () => ({
      body: {
        data: {
          attributes: {
            columns: [
              { type: 'group', name: 'host', values: [['a'], ['b']] },
              { type: 'number', name: 'x', values: [null, 3] },
            ],
          },
        },
      },
    }),
    reading: { value: '[3]', result: [3], metadata: { groups: '[{"name":"b","value":3}]' } },
  },
  {
    name: 'Datadog: refused',
    provider: () => ({ datadog: { query: 'x' } }),
    secrets: (url) => ({ 'argo-rollouts/datadog': { address: url, 'api-key': 'A', 'app-key': 'B' } }),
    answer: () => ({ status: 403, body: 'no' }),
    refusal: /received authentication error response code: 403 no/,
  },
  {
    name: 'Datadog: two queries without a formula',
    provider: () => ({ datadog: { apiVersion: 'v2', queries: { a: 'x', b: 'y' } } }),
    secrets: (url) => ({ 'argo-rollouts/datadog': { address: url, 'api-key': 'A', 'app-key': 'B' } }),
    refusal: /When multiple queries are provided you must include a formula/,
  },
];

process.env.AWS_ACCESS_KEY_ID = 'AKID';
process.env.AWS_SECRET_ACCESS_KEY = 'secret';
process.env.AWS_REGION = 'eu-west-1';

for (const example of cases) test(example.name, () => run(example));

test('CloudWatch: the results of the queries, signed', async () => {
  const server = await standIn(() => ({
    body: {
      MetricDataResults: [
        { Id: 'a', Values: [1, 2] },
        { Id: 'b', Values: [] },
      ],
      Messages: [],
    },
  }));
  process.env.AWS_ENDPOINT_URL = server.url;
  try {
    const metric: Metric = {
      name: 'm',
      provider: { cloudWatch: { interval: '30m', metricDataQueries: [{ id: 'a', expression: 'b/c', period: '300' }] } },
    };
    const provider = providerOf(metric);
    assert.ok(provider.kind === 'query');
    const reading = await provider.query(metric, providerContext(analysisRun([metric])));
    assert.equal(reading.value, '[[1 2] []]');
    assert.match(server.requests[0]?.headers.authorization ?? '', /\/eu-west-1\/monitoring\/aws4_request/);
  } finally {
    delete process.env.AWS_ENDPOINT_URL;
    await server.close();
  }
});

test('Kayenta: a judgement is started, and asked for until it is complete', async () => {
  let score: number | undefined;
  const server = await standIn(({ method, url }) => {
    if (url.startsWith('/canaryConfig')) return { body: [{ id: 'c1', name: 'config' }] };
    if (method === 'POST') return { body: { canaryExecutionId: 'e1' } };
    if (score === undefined) return { body: { complete: false } };
    return { body: { complete: true, result: { judgeResult: { score: { score } } } } };
  });
  try {
    const scope = { scope: 's', region: 'r', step: 60 };
    const metric: Metric = {
      name: 'm',
      interval: '5m',
      provider: {
        kayenta: {
          address: server.url,
          application: 'app',
          canaryConfigName: 'config',
          metricsAccountName: 'ma',
          configurationAccountName: 'ca',
          storageAccountName: 'sa',
          threshold: { pass: 90, marginal: 75 },
          scopes: [{ name: 'default', controlScope: scope, experimentScope: scope }],
        },
      },
    };
    const context = providerContext(analysisRun([metric]));
    const provider = providerOf(metric);
    assert.ok(provider.kind === 'task');
    const started = await provider.run(metric, context);
    assert.deepEqual(started.metadata, { canaryExecutionId: 'e1' });
    assert.equal(started.resumeAt, '2026-01-01T00:00:15Z');
    const asked = JSON.parse(server.requests[1]?.body ?? '');
    assert.deepEqual(asked.scopes.default.controlScope, {
      scope: 's',
      location: 'r',
      step: 60,
      start: '2025-12-31T23:55:00Z',
      end: '2026-01-01T00:00:00Z',
    });
    assert.equal((await provider.resume(metric, context, started)).phase, 'Running');
    for (const [value, phase] of [
      [95.9, 'Successful'],
      [80, 'Inconclusive'],
      [10, 'Failed'],
    ] as const) {
      score = value;
      const ended = await provider.resume(metric, context, started);
      assert.deepEqual([ended.phase, ended.value], [phase, String(Math.trunc(value))]);
    }
  } finally {
    await server.close();
  }
});
