import type { KubeObject } from '@tiphys/kubernetes';
import { failedPlugin } from '../model/diagnoses.ts';
import type {
  MetricPlugin,
  StepPlugin,
  StepPluginContext,
  StepPluginPhase,
  StepPluginResult,
  TrafficPlugin,
} from '../model/types.ts';

/** Asks a plugin that speaks JSON; `missing` if it has no such method. Throws what it answers as its error. */
export type AskPlugin = (method: string, body: Readonly<Record<string, unknown>>) => Promise<unknown>;

export const missing: unique symbol = Symbol('missing');

type Fields = Readonly<Record<string, unknown>>;

const phases: ReadonlySet<unknown> = new Set(['Running', 'Successful', 'Failed', 'Error']);
const measuredPhases: ReadonlySet<unknown> = new Set([...phases, 'Pending', 'Inconclusive']);
const longestWait = 24 * 3600;

/** What plugins are not handed: who manages which fields is of no use to them, and large. */
function handed(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

async function need(ask: AskPlugin, method: string, body: Fields): Promise<unknown> {
  const answer = await ask(method, body);
  if (answer === missing) throw failedPlugin(`the plugin has no method ${method}`);
  return answer;
}

function fieldsOf(answer: unknown, method: string): Fields {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as Fields;
  throw failedPlugin(`the plugin answers ${method} with something else than an object`);
}

/** A step plugin: `run`, and where there is something to end or to take back `terminate` and `abort`. */
export function jsonStepPlugin(ask: AskPlugin): StepPlugin {
  const operation =
    (method: 'run' | 'terminate' | 'abort') =>
    async (rollout: KubeObject, context: StepPluginContext): Promise<StepPluginResult> => {
      const answer = await ask(method, { rollout: handed(rollout), context });
      if (answer === missing && method !== 'run') return stepResult({ phase: 'Successful' });
      if (answer === missing) throw failedPlugin(`the plugin has no method ${method}`);
      return stepResult(fieldsOf(answer, method));
    };
  return {
    enabled: true,
    run: operation('run'),
    terminate: operation('terminate'),
    abort: operation('abort'),
    type: async () => 'JSON',
  };
}

function stepResult({ phase = '', message = '', requeueAfterSeconds = 0, status }: Fields): StepPluginResult {
  if (phase !== '' && !phases.has(phase)) throw failedPlugin(`the plugin answers with phase ${JSON.stringify(phase)}`);
  const seconds = Number(requeueAfterSeconds);
  if (!(seconds >= 0 && seconds <= longestWait))
    throw failedPlugin(`requeueAfterSeconds is to be a number from 0 to ${longestWait}`);
  return {
    phase: phase as StepPluginPhase | '',
    message: String(message),
    requeueAfter: seconds * 1000,
    status,
  };
}

/** A traffic router: `setWeight`, and what else it can do; without `verifyWeight` a weight counts as served when it is set. */
export function jsonTrafficPlugin(ask: AskPlugin): TrafficPlugin {
  const act = async (method: string, rollout: KubeObject, more: Fields) => {
    await need(ask, method, { rollout: handed(rollout), ...more });
  };
  return {
    updateHash: async (rollout, canaryHash, stableHash, additionalDestinations) => {
      await ask('updateHash', { rollout: handed(rollout), canaryHash, stableHash, additionalDestinations });
    },
    setWeight: (rollout, weight, additionalDestinations) =>
      act('setWeight', rollout, { weight, additionalDestinations }),
    setHeaderRoute: (rollout, route) => act('setHeaderRoute', rollout, { route }),
    setMirrorRoute: (rollout, route) => act('setMirrorRoute', rollout, { route }),
    verifyWeight: async (rollout, weight, additionalDestinations) => {
      const answer = await ask('verifyWeight', { rollout: handed(rollout), weight, additionalDestinations });
      if (answer === missing) return undefined;
      const { verified } = fieldsOf(answer, 'verifyWeight');
      return typeof verified === 'boolean' ? verified : undefined;
    },
    removeManagedRoutes: async (rollout) => {
      await ask('removeManagedRoutes', { rollout: handed(rollout) });
    },
    type: async () => 'JSON',
  };
}

/** A metric provider: `run`, and for measurements that take their time `resume`, `terminate` and `garbageCollect`. */
export function jsonMetricPlugin(ask: AskPlugin): MetricPlugin {
  return {
    run: async (analysisRun, metric) =>
      measurement(await need(ask, 'run', { analysisRun: handed(analysisRun), metric }), 'run'),
    resume: async (analysisRun, metric, before) =>
      measurement(
        await need(ask, 'resume', { analysisRun: handed(analysisRun), metric, measurement: before }),
        'resume',
      ),
    terminate: async (analysisRun, metric, before) => {
      const answer = await ask('terminate', { analysisRun: handed(analysisRun), metric, measurement: before });
      return answer === missing ? (before as Record<string, unknown>) : measurement(answer, 'terminate');
    },
    garbageCollect: async (analysisRun, metric, limit) => {
      await ask('garbageCollect', { analysisRun: handed(analysisRun), metric, limit });
    },
    metadata: async (metric) => {
      const answer = await ask('metadata', { metric });
      return answer === missing || answer === null ? {} : texts(fieldsOf(answer, 'metadata'));
    },
    type: async () => 'JSON',
  };
}

function measurement(answer: unknown, method: string): Record<string, unknown> {
  const { phase, value, message, startedAt, finishedAt, resumeAt, metadata } = fieldsOf(answer, method);
  if (!measuredPhases.has(phase))
    throw failedPlugin(`the plugin answers ${method} with phase ${JSON.stringify(phase)}`);
  const given = Object.entries({ value, message, startedAt, finishedAt, resumeAt }).filter(
    ([, each]) => each !== undefined && each !== null,
  );
  return {
    phase,
    ...Object.fromEntries(given.map(([name, each]) => [name, typeof each === 'string' ? each : JSON.stringify(each)])),
    ...(metadata ? { metadata: texts(fieldsOf(metadata, method)) } : {}),
  };
}

function texts(fields: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
