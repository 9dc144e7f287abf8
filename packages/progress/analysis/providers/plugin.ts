import type { MetricPlugin } from '@tiphys/step-plugins';
import type { Measurement, Metric } from '../model/types.ts';
import type { ProviderContext, TaskProvider } from './provider.ts';

/** Hands a metric to the plugin that its `provider.plugin` names. */
export const plugin: TaskProvider = {
  kind: 'task',
  run: async (metric, context) => measurementOf(await (await pluginOf(metric, context)).run(context.run, metric)),
  resume: async (metric, context, measurement) =>
    measurementOf(await (await pluginOf(metric, context)).resume(context.run, metric, measurement)),
  terminate: async (metric, context, measurement) =>
    measurementOf(await (await pluginOf(metric, context)).terminate(context.run, metric, measurement)),
  garbageCollect: async (metric, context, limit) =>
    (await pluginOf(metric, context)).garbageCollect(context.run, metric, limit),
  metadata: async (metric, context) => (await pluginOf(metric, context)).metadata(metric),
};

function pluginOf({ provider }: Metric, { plugins }: ProviderContext): Promise<MetricPlugin> {
  return plugins.metric(Object.keys(provider.plugin ?? {})[0] ?? '');
}

function measurementOf(answer: Record<string, unknown>): Measurement {
  return answer as unknown as Measurement;
}
