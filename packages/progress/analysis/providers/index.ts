import { misconfiguredProvider } from '../model/failures.ts';
import type { Metric } from '../model/types.ts';
import { cloudWatch } from './cloud-watch.ts';
import { datadog } from './datadog.ts';
import { graphite } from './graphite.ts';
import { influxdb } from './influxdb.ts';
import { job } from './job.ts';
import { kayenta } from './kayenta.ts';
import { newRelic } from './new-relic.ts';
import { plugin } from './plugin.ts';
import { prometheus } from './prometheus.ts';
import type { Provider } from './provider.ts';
import { skywalking } from './skywalking.ts';
import { wavefront } from './wavefront.ts';
import { web } from './web.ts';

const providers: Readonly<Record<keyof Metric['provider'], Provider>> = {
  prometheus,
  job,
  kayenta,
  web,
  datadog,
  wavefront,
  newRelic,
  graphite,
  cloudWatch,
  influxdb,
  skywalking,
  plugin,
};

/** The provider that a metric names. */
export function providerOf({ name, provider }: Metric): Provider {
  for (const [field, candidate] of Object.entries(providers)) {
    if (provider[field as keyof Metric['provider']]) return candidate;
  }
  throw misconfiguredProvider(`no valid provider in metric '${name}'`);
}
