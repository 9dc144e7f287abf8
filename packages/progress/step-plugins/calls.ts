import type { KubeObject } from '@tiphys/kubernetes';
import { checkError, measurementOf, stepResult, stringMap } from './answers.ts';
import { failedPlugin } from './model/diagnoses.ts';
import type { MetricPlugin, StepPlugin, StepPluginContext, TrafficPlugin } from './model/types.ts';
import { type CallArgument, RpcServerError } from './rpc/rpc-client.ts';

/** Calls a method of a plugin that runs. */
export type CallPlugin = (method: string, argument: CallArgument) => Promise<unknown>;

const named = (name: string, value: unknown): CallArgument => ({ interface: { name, value } });
const nothing: CallArgument = { interface: undefined };

/** What plugins are not handed: who manages which fields is of no use to them, and large. */
function handed(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

async function told(call: CallPlugin, method: string, argument: CallArgument): Promise<unknown> {
  try {
    return await call(method, argument);
  } catch (error) {
    if (error instanceof RpcServerError) throw failedPlugin(`${method} rpc call error: ${error.message}`);
    throw error;
  }
}

/** A step plugin that runs. */
export function stepPlugin(call: CallPlugin): StepPlugin {
  const operation = (method: string) => async (rollout: KubeObject, context: StepPluginContext) => {
    const { pluginName, config, status } = context;
    const Context = { PluginName: pluginName, Config: config, Status: status };
    const argument = named(`step.${method}Args`, { Rollout: handed(rollout), Context });
    return stepResult(await told(call, method, argument));
  };
  return {
    enabled: true,
    run: operation('Run'),
    terminate: operation('Terminate'),
    abort: operation('Abort'),
    type: async () => String(await told(call, 'Type', nothing)),
  };
}

/** A step plugin that the configuration disables: nothing of it runs. */
export function disabledStepPlugin(name: string): StepPlugin {
  const refuse = async () => {
    throw failedPlugin(`step plugin ${name} is disabled`);
  };
  return { enabled: false, run: refuse, terminate: refuse, abort: refuse, type: async () => 'disabled' };
}

/** A traffic-router plugin that runs. */
export function trafficPlugin(call: CallPlugin): TrafficPlugin {
  const act = async (method: string, name: string, value: object) =>
    checkError(await told(call, method, named(name, value)));
  const weight = (rollout: KubeObject, desired: number, additional: readonly unknown[]) => ({
    Rollout: handed(rollout),
    DesiredWeight: desired,
    AdditionalDestinations: additional,
  });
  return {
    updateHash: (rollout, CanaryHash, StableHash, AdditionalDestinations) =>
      act('UpdateHash', 'UpdateHashArgs', { Rollout: handed(rollout), CanaryHash, StableHash, AdditionalDestinations }),
    setWeight: (rollout, desired, additional) =>
      act('SetWeight', 'SetWeightAndVerifyWeightArgs', weight(rollout, desired, additional)),
    setHeaderRoute: (rollout, SetHeaderRoute) =>
      act('SetHeaderRoute', 'SetHeaderArgs', { Rollout: handed(rollout), SetHeaderRoute }),
    setMirrorRoute: (rollout, SetMirrorRoute) =>
      act('SetMirrorRoute', 'SetMirrorArgs', { Rollout: handed(rollout), SetMirrorRoute }),
    verifyWeight: async (rollout, desired, additional) => {
      const argument = named('SetWeightAndVerifyWeightArgs', weight(rollout, desired, additional));
      const answer = (await told(call, 'VerifyWeight', argument)) as { Verified?: number; Err?: unknown };
      checkError(answer.Err);
      return answer.Verified === 2 ? undefined : answer.Verified === 1;
    },
    removeManagedRoutes: (rollout) =>
      act('RemoveManagedRoutes', 'RemoveManagedRoutesArgs', { Rollout: handed(rollout) }),
    type: async () => String(await told(call, 'Type', nothing)),
  };
}

/** A metric plugin that runs. */
export function metricPlugin(call: CallPlugin): MetricPlugin {
  const measure = async (method: string, name: string, value: object) => {
    const measurement = measurementOf(await told(call, method, named(name, value)));
    if (measurement.phase !== 'Error') return measurement;
    return { ...measurement, message: `failed to ${method.toLowerCase()} via plugin: ${measurement.message ?? ''}` };
  };
  return {
    run: (run, Metric) => measure('Run', 'RunArgs', { AnalysisRun: handed(run), Metric }),
    resume: (run, Metric, Measurement) =>
      measure('Resume', 'TerminateAndResumeArgs', { AnalysisRun: handed(run), Metric, Measurement }),
    terminate: (run, Metric, Measurement) =>
      measure('Terminate', 'TerminateAndResumeArgs', { AnalysisRun: handed(run), Metric, Measurement }),
    garbageCollect: async (run, Metric, Limit) => {
      const argument = named('GarbageCollectArgs', { AnalysisRun: handed(run), Metric, Limit });
      checkError(await told(call, 'GarbageCollect', argument));
    },
    metadata: async (Metric) => stringMap(await told(call, 'GetMetadata', named('GetMetadataArgs', { Metric }))),
    type: async () => String(await told(call, 'Type', nothing)),
  };
}
