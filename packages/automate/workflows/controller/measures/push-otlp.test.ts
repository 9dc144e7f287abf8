import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import { test } from 'node:test';
import { fromBinary, toJson } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { loadMetricsService } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import { systemClock } from '@tiphys/kubernetes';
import { setOutboundPolicy } from '@tiphys/outbound';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { collectorOf } from './collector.ts';
import { pushMetrics } from './push-otlp.ts';

/** A counter, a gauge and a histogram. */
function measures(): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'argo_workflows_total_count', help: 'h', labelNames: ['phase'], registers }).inc(
    { phase: 'Failed' },
    3,
  );
  new Gauge({ name: 'own_gauge', help: 'h', registers }).set(7);
  const took = new Histogram({ name: 'argo_workflows_took', help: 'h', buckets: [1, 5], registers });
  for (const value of [0.5, 0.7, 3, 9]) took.observe(value);
  return registry;
}

/** Sends to a collector on this machine until `stop`; gives what was reported. */
async function pushed(server: Server, env: Readonly<Record<string, string>>, stop: AbortController): Promise<string> {
  setOutboundPolicy({ loopback: true, private: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector = collectorOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
    OTEL_METRIC_EXPORT_INTERVAL: '5',
    ...env,
  });
  assert.ok(collector);
  const problems: Diagnosis[] = [];
  const report = (problem: Diagnosis) => void problems.push(problem);
  await pushMetrics(collector, { registry: measures(), clock: systemClock, signal: stop.signal, report });
  server.close();
  return problems.map(({ message }) => message).join();
}

/** That a request has what `measures` counts. */
function assertMeasures({ resourceMetrics }: Request): void {
  const metrics = resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
  const { sum } = metrics.find(({ name }) => name === 'total_count') ?? {};
  assert.equal(sum?.isMonotonic, true);
  assert.deepEqual(sum?.dataPoints[0]?.attributes, [{ key: 'phase', value: { stringValue: 'Failed' } }]);
  assert.equal(sum?.dataPoints[0]?.asDouble, 3);
  assert.equal(metrics.find(({ name }) => name === 'own_gauge')?.gauge?.dataPoints[0]?.asDouble, 7);
  const point = metrics.find(({ name }) => name === 'took')?.histogram?.dataPoints[0];
  assert.deepEqual(
    [point?.explicitBounds, point?.bucketCounts, point?.count, point?.sum],
    [[1, 5], ['2', '1', '1'], '4', 13.2],
  );
}

for (const protocol of ['http/json', 'http/protobuf'])
  test(`metrics go to the collector by ${protocol}, the last time at the end`, async () => {
    const { type } = await schema();
    const stop = new AbortController();
    const bodies: Request[] = [];
    const collect: RequestListener = async (request, response) => {
      assert.equal(request.url, '/v1/metrics');
      assert.equal(request.headers.authorization, 'Bearer x');
      assert.equal(
        request.headers['content-type'],
        protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
      );
      const body =
        protocol === 'http/json' ? await json(request) : toJson(type, fromBinary(type, await buffer(request)));
      bodies.push(body as unknown as Request);
      response.writeHead(bodies.length === 1 ? 503 : 200).end('{}');
      if (bodies.length === 2) stop.abort();
    };
    const problems = await pushed(createServer(collect), { OTEL_EXPORTER_OTLP_PROTOCOL: protocol }, stop);
    assert.match(problems, /does not take the metrics by http\/[a-z]+: it answers with 503$/);
    assert.ok(bodies.length >= 3, 'once more at the end');
    assertMeasures(bodies[0] as Request);
  });

test('metrics go to the collector by gRPC where no protocol is named; what it refuses is told', async () => {
  const { service, type } = await schema();
  const stop = new AbortController();
  const bodies: Request[] = [];
  const handler = connectNodeAdapter({
    routes: (router) =>
      router.service(service.metrics, {
        export(request, { requestHeader }) {
          assert.equal(requestHeader.get('authorization'), 'Bearer x');
          bodies.push(toJson(type, request) as unknown as Request);
          if (bodies.length === 1) throw new ConnectError('queue is full', Code.ResourceExhausted);
          if (bodies.length === 3) stop.abort();
          return bodies.length === 2 ? { partialSuccess: { rejectedDataPoints: 2n, errorMessage: 'too old' } } : {};
        },
      }),
  });
  const problems = await pushed(createHttp2Server(handler), {}, stop);
  assert.match(problems, /by grpc: .*queue is full,.*2 values are refused: too old$/);
  assert.ok(bodies.length >= 4, 'once more at the end');
  assertMeasures(bodies[0] as Request);
});

async function schema() {
  const service = await loadMetricsService();
  return { service, type: service.metrics.method.export.input };
}

interface Request {
  readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[] }[];
}
interface Metric {
  readonly name: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly Point[] };
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}
interface Point {
  readonly attributes: readonly object[];
  readonly asDouble?: number;
  readonly sum?: number;
  readonly count?: string;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

test('the variables of OpenTelemetry say where metrics go; nothing is sent without an endpoint', () => {
  assert.equal(collectorOf({}), undefined);
  assert.equal(collectorOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_METRICS_EXPORTER: 'none' }), undefined);
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317/' };
  assert.equal(collectorOf(base)?.url, 'http://c:4317');
  assert.throws(
    () => collectorOf({ ...base, OTEL_EXPORTER_OTLP_PROTOCOL: 'http' }),
    /OTEL_EXPORTER_OTLP_PROTOCOL is http \(field/,
  );
  assert.throws(() => collectorOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4317' }), /is no address with http/);
  const http = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' };
  assert.equal(collectorOf({ ...http, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://c/m' })?.url, 'https://c/m');
  assert.equal(collectorOf({ ...http, ...base })?.url, 'http://c:4317/v1/metrics');
  assert.throws(
    () => collectorOf({ ...base, OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' }),
    /OTEL_EXPORTER_OTLP_CERTIFICATE names \/nowhere\/ca.pem, which cannot be read/,
  );
});
