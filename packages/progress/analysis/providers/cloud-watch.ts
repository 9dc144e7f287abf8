import type { GetMetricDataCommandOutput, MetricDataQuery, StandardUnit } from '@aws-sdk/client-cloudwatch';
import { requireDuration } from '../decisions/duration.ts';
import { intValue } from '../decisions/limits.ts';
import type { CloudWatchMetric, CloudWatchMetricDataQuery, Metric } from '../model/types.ts';
import { goText } from './go-format.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';

/** Asks CloudWatch with AWS' own credentials; the result is the list of MetricDataResults, whose `Values` conditions use. */
export const cloudWatch: QueryProvider = { kind: 'query', query };

async function query({ provider }: Metric, { clock, signal }: ProviderContext): Promise<Reading> {
  const { interval, metricDataQueries } = provider.cloudWatch as CloudWatchMetric;
  const end = clock.now();
  const start = end - requireDuration(interval || '5m');
  const { CloudWatchClient, GetMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const client = new CloudWatchClient({});
  try {
    const answer = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(start),
        EndTime: new Date(end),
        MetricDataQueries: metricDataQueries.map(dataQuery),
      }),
      { abortSignal: signal },
    );
    return reading(answer);
  } finally {
    client.destroy();
  }
}

function reading({ MetricDataResults = [], Messages = [] }: GetMetricDataCommandOutput): Reading {
  return {
    value: goText(MetricDataResults.map(({ Values = [] }) => Values)),
    result: MetricDataResults.map(({ Id, Label, StatusCode, Timestamps = [], Values = [] }) => ({
      Id,
      Label,
      StatusCode,
      Timestamps,
      Values,
    })),
    ...(Messages.length > 0
      ? { metadata: { messages: Messages.map(({ Code, Value }) => `${Code}: ${Value}`).join(', ') } }
      : {}),
  };
}

function dataQuery(query: CloudWatchMetricDataQuery): MetricDataQuery {
  const { id = '', expression, label, metricStat, period, returnData } = query;
  return {
    Id: id,
    ...(expression === undefined ? {} : { Expression: expression }),
    ...(label === undefined ? {} : { Label: label }),
    ...(period === undefined ? {} : { Period: intValue(period) }),
    ...(returnData === undefined ? {} : { ReturnData: returnData }),
    ...(metricStat ? { MetricStat: statOf(metricStat) } : {}),
  };
}

function statOf({ metric = {}, period = 0, stat = '', unit }: NonNullable<CloudWatchMetricDataQuery['metricStat']>) {
  return {
    Metric: {
      MetricName: metric.metricName ?? '',
      ...(metric.namespace === undefined ? {} : { Namespace: metric.namespace }),
      ...(metric.dimensions
        ? { Dimensions: metric.dimensions.map(({ name = '', value = '' }) => ({ Name: name, Value: value })) }
        : {}),
    },
    Period: intValue(period),
    Stat: stat,
    ...(unit ? { Unit: unit as StandardUnit } : {}),
  };
}
