import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { PluginHost } from '@tiphys/step-plugins';

const pluginNotConfigured = defineDiagnosis(
  'RolloutsPluginNotConfigured',
  'A Rollout names a plugin that is not configured',
);

function missing(kind: string, name: string): never {
  throw failure(pluginNotConfigured, {
    message: `failed to get ${kind} plugin ${name}: it is not configured`,
    remedies: ['Name the plugin in ConfigMap argo-rollouts-config and start the controller again'],
  });
}

/** A host that knows no plugin. */
export const withoutPlugins: PluginHost = {
  step: async (name) => missing('step', name),
  traffic: async (name) => missing('traffic', name),
  metric: async (name) => missing('metric', name),
  close: async () => undefined,
};
