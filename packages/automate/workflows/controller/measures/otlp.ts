import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** What a registry of prom-client tells of one metric. */
export type Told = MetricObjectWithValues<MetricValue<string> & { metricName?: string }>;

interface Times {
  /** When counting began, in milliseconds. */
  readonly start: number;
  readonly now: number;
}

/** As upstream: Prometheus' names have it in front, those of OpenTelemetry have not. */
const prefix = /^argo_workflows_/;
const cumulative = 2;

/** The body of an `ExportMetricsServiceRequest` of OTLP in JSON. Summaries, which are of the process alone, are left out. */
export function otlpRequest(metrics: readonly Told[], times: Times, service: string): object {
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributesOf({ 'service.name': service }) },
        scopeMetrics: [
          { scope: { name: 'argo-workflows' }, metrics: metrics.flatMap((metric) => otlpMetric(metric, times) ?? []) },
        ],
      },
    ],
  };
}

function otlpMetric(metric: Told, times: Times): object | undefined {
  const named = { name: metric.name.replace(prefix, ''), description: metric.help };
  const points = () => metric.values.map(({ value, labels }) => ({ ...pointOf(labels, times), asDouble: value }));
  // prom-client has the name of the kind here, and its types say a number
  switch (String(metric.type)) {
    case 'counter':
      return { ...named, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints: points() } };
    case 'gauge':
      return { ...named, gauge: { dataPoints: points() } };
    case 'histogram':
      return {
        ...named,
        histogram: { aggregationTemporality: cumulative, dataPoints: histogramPoints(metric, times) },
      };
    default:
      return undefined;
  }
}

interface Histogram {
  readonly labels: Labels;
  readonly buckets: { readonly bound: number; readonly count: number }[];
  sum: number;
  count: number;
}

type Labels = Readonly<Record<string, string | number | undefined>>;

/** Prometheus counts in each bucket what is in the smaller ones, too; OTLP does not. */
function histogramPoints({ name, values }: Told, times: Times): object[] {
  const found = new Map<string, Histogram>();
  for (const { labels: all, value, metricName } of values) {
    const { le, ...labels } = all as Labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    const histogram = found.get(key) ?? { labels, buckets: [], sum: 0, count: 0 };
    found.set(key, histogram);
    if (metricName === `${name}_sum`) histogram.sum = value;
    else if (metricName === `${name}_count`) histogram.count = value;
    else if (le !== '+Inf') histogram.buckets.push({ bound: Number(le), count: value });
  }
  return [...found.values()].map(({ labels, buckets, sum, count }) => {
    const ordered = buckets.toSorted((a, b) => a.bound - b.bound);
    const counts = [...ordered.map((bucket) => bucket.count), count];
    return {
      ...pointOf(labels, times),
      sum,
      count: String(count),
      explicitBounds: ordered.map(({ bound }) => bound),
      bucketCounts: counts.map((each, index) => String(each - (counts[index - 1] ?? 0))),
    };
  });
}

function pointOf(labels: object, { start, now }: Times): object {
  return { attributes: attributesOf(labels), startTimeUnixNano: nanoseconds(start), timeUnixNano: nanoseconds(now) };
}

function attributesOf(labels: object): object[] {
  return Object.entries(labels)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ({ key, value: { stringValue: String(value) } }));
}

/** 64 bits, which JSON says as text. */
function nanoseconds(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds)) * 1_000_000n}`;
}
