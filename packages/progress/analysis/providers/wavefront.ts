import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { Metric } from '../model/types.ts';
import { ask, parseJson } from './http.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';
import { readSecret } from './secrets.ts';

/** Asks Wavefront for the data point nearest to now of each series; the token is in Secret `wavefront-api-tokens` by address. */
export const wavefront: QueryProvider = { kind: 'query', query };

async function query({ provider }: Metric, context: ProviderContext): Promise<Reading> {
  const { address = '', query: text = '' } = provider.wavefront ?? {};
  const tokens = await readSecret(context, { namespace: context.namespace, name: 'wavefront-api-tokens' });
  const token = tokens.get(address);
  if (!token) throw misconfiguredProvider('API token not found');
  const now = Math.floor(context.clock.now() / 1000);
  const parameters = new URLSearchParams({
    q: text,
    s: String(now * 1000),
    e: String(now * 1000),
    g: 's',
    p: '1',
    i: 'true',
    sorted: 'false',
    cached: 'true',
  });
  const base = /^https?:\/\//.test(address) ? address : `https://${address}`;
  const answer = await ask({
    url: `${base}/api/v2/chart/api?${parameters}`,
    headers: { authorization: `Bearer ${token}` },
    timeout: 30_000,
    signal: context.signal,
  });
  if (answer.status !== 200) throw badAnswer(`server returned ${answer.status}: ${answer.text.slice(0, 1000)}`);
  return reading(parseJson(answer.text) as Answer, now);
}

interface Answer {
  timeseries?: { data?: [number, number][] }[];
  warnings?: string;
  errorType?: string;
  errorMessage?: string;
}

function reading(answer: Answer, now: number): Reading {
  if (answer.errorType) throw badAnswer(`${answer.errorType}: ${answer.errorMessage ?? ''}`);
  const series = answer.timeseries ?? [];
  if (series.length === 0) throw badAnswer('No TimeSeries found in response from Wavefront');
  const points = series.map(({ data = [] }) => nearestPoint(data, now));
  const list = (texts: string[]) => (texts.length === 1 ? (texts[0] as string) : `[${texts.join(',')}]`);
  const values = points.map(({ value }) => value);
  return {
    value: list(values.map((value) => value.toFixed(2))),
    result: values.length === 1 ? values[0] : values,
    metadata: {
      ...(answer.warnings ? { warnings: answer.warnings } : {}),
      timestamps: list(points.map(({ time }) => String(Math.trunc(time)))),
      drift: list(points.map(({ drift }) => String(Math.trunc(drift)))),
    },
  };
}

function nearestPoint(points: readonly [number, number][], now: number) {
  let nearest = { value: 0, time: 0, drift: Number.POSITIVE_INFINITY };
  for (const [time, value] of points) {
    if (Math.abs(time - now) < Math.abs(nearest.drift)) nearest = { value, time, drift: time - now };
  }
  return nearest;
}
