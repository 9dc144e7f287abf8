import type { Pass, Step } from '@tiphys/controller';
import type { Diagnosis } from '@tiphys/diagnosis';
import { validateDependencies, validateTriggers } from '../rules/validate-sensor.ts';
import { eventsOf } from '../source/validate-event-source.ts';
import { busNameOf } from '../spec/event-bus.ts';
import type { Sensor } from '../spec/sensor.ts';
import { SpecError } from '../spec/spec-problem.ts';
import { withoutSource } from '../trouble/diagnoses.ts';
import { ignoredFields } from '../trouble/ignored-fields.ts';
import { specFailures } from '../trouble/spec-invalid.ts';
import { Conditions } from './conditions.ts';
import { connectedBus } from './connected-bus.ts';
import { type EventsContext, sensorFinalizer } from './context.ts';
import { deployFailure, inProcess, tell } from './told.ts';

export type SensorPass = Pass<Sensor, EventsContext, Record<string, never>>;

const types = ['Deployed', 'DependenciesProvided', 'TriggersProvided'];
const retryDelay = 2000;
const lookAgain = 30_000;

/** The way of a Sensor: its end; its rules; what acts. */
export const sensorSteps: readonly Step<SensorPass>[] = [remove, validate, deploy];

async function remove({ key, next, context }: SensorPass) {
  const finalizers = next.metadata.finalizers ?? [];
  if (!next.metadata.deletionTimestamp) {
    if (!finalizers.includes(sensorFinalizer)) next.metadata.finalizers = [...finalizers, sensorFinalizer];
    return 'continue';
  }
  await context.workers.stop('Sensor', key);
  next.metadata.finalizers = finalizers.filter((name) => name !== sensorFinalizer);
  return 'stop';
}

async function validate({ key, next, status, clock, context }: SensorPass) {
  const conditions = new Conditions(status, types, clock.now());
  const bus = context.buses.get(`${next.metadata.namespace}/${busNameOf(next.spec)}`);
  const checks = [
    ['DependenciesProvided', () => validateDependencies(next, { isStan: bus?.spec.nats !== undefined })],
    ['TriggersProvided', () => validateTriggers(next)],
  ] as const;
  for (const [type, check] of checks) {
    try {
      check();
      conditions.isTrue(type);
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      conditions.isFalse(type, error.reason, error.message);
      tell(status, specFailures(next, error));
      await context.workers.stop('Sensor', key);
      return 'stop';
    }
  }
  return 'continue';
}

async function deploy(pass: SensorPass) {
  const { next, status, clock, context } = pass;
  const conditions = new Conditions(status, types, clock.now());
  try {
    const bus = connectedBus(context, next);
    if (context.settings().deployment === 'dedicated') {
      const { deployPods } = await import('./dedicated.ts');
      await deployPods(context, next, bus);
      await context.workers.stop('Sensor', pass.key);
    } else {
      const problems = await context.workers.sensor(next, bus);
      for (const [trigger, reason] of problems)
        pass.event('Warning', 'TriggerNeverRuns', `Trigger ${trigger}: ${reason}`);
    }
    conditions.isTrue('Deployed');
    await context.made.follow(next);
    tell(pass.status, [
      ...inProcess(next, context),
      ...ignoredFields(next),
      ...withoutSources(pass),
      ...context.workers.diagnoses('Sensor', pass.key),
      ...context.made.diagnoses(next),
    ]);
    pass.requeueIn(lookAgain);
  } catch (error) {
    const failed = deployFailure(error, next, context);
    conditions.isFalse('Deployed', failed.reason, failed.message);
    tell(pass.status, failed.diagnoses);
    pass.requeueIn(retryDelay);
  }
}

/** Dependencies that wait for what nobody sends: their EventSource is not there, or has no such event. */
function withoutSources({ next, context }: SensorPass): Diagnosis[] {
  const { namespace, name } = next.metadata;
  return (next.spec.dependencies ?? []).flatMap((dependency) => {
    const { eventSourceName: source = '', eventName: event = '' } = dependency;
    const found = context.sources.get(`${namespace}/${source}`);
    const there = found && eventsOf(found.spec).map((each) => each.name);
    if (there?.includes(event)) return [];
    return [
      withoutSource({ dependency: dependency.name, source, event, there }, `argoproj.io/Sensor ${namespace}/${name}`),
    ];
  });
}
