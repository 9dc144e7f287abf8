import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Diagnosis } from '@tiphys/diagnosis';
import { systemClock } from '@tiphys/kubernetes';
import { setOutboundPolicy } from '@tiphys/outbound';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { collectorOf, pushMetrics } from './push-otlp.ts';

test('metrics go to the collector as counters, gauges and histograms, the last time at the end', async () => {
  setOutboundPolicy({ loopback: true, private: false });
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'argo_workflows_total_count', help: 'h', labelNames: ['phase'], registers }).inc(
    { phase: 'Failed' },
    3,
  );
  new Gauge({ name: 'own_gauge', help: 'h', registers }).set(7);
  const took = new Histogram({ name: 'argo_workflows_took', help: 'h', buckets: [1, 5], registers });
  for (const value of [0.5, 0.7, 3, 9]) took.observe(value);
  const bodies: { resourceMetrics: { scopeMetrics: { metrics: Metric[] }[] }[] }[] = [];
  const stop = new AbortController();
  const server = createServer(async (request, response) => {
    assert.equal(request.url, '/v1/metrics');
    assert.equal(request.headers.authorization, 'Bearer x');
    bodies.push((await json(request)) as never);
    response.writeHead(bodies.length === 1 ? 503 : 200).end('{}');
    if (bodies.length === 2) stop.abort();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector = collectorOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
    OTEL_METRIC_EXPORT_INTERVAL: '5',
  });
  assert.ok(collector);
  const problems: Diagnosis[] = [];
  const report = (problem: Diagnosis) => void problems.push(problem);
  await pushMetrics(collector, { registry, clock: systemClock, signal: stop.signal, report });
  server.close();
  assert.match(problems.map(({ message }) => message).join(), /does not take the metrics: it answers with 503$/);
  assert.ok(bodies.length >= 3, 'once more at the end');
  const metrics = bodies[0]?.resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
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
});

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

test('gRPC is refused with what to set; nothing is sent without an endpoint', () => {
  assert.equal(collectorOf({}), undefined);
  assert.equal(collectorOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_METRICS_EXPORTER: 'none' }), undefined);
  assert.throws(
    () => collectorOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
    /OTEL_EXPORTER_OTLP_PROTOCOL is grpc/,
  );
  assert.throws(() => collectorOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4318' }), /is no address of HTTP/);
  assert.equal(collectorOf({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://c/m' })?.url, 'https://c/m');
});
