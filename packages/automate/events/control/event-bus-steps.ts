import { keyOf, type Pass, type Step } from '@tiphys/controller';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { parseDuration } from '../spec/duration.ts';
import { type BusConfig, busNameOf, type EventBus } from '../spec/event-bus.ts';
import { eventBusProblem } from '../spec/validate-event-bus.ts';
import { inUse } from '../trouble/diagnoses.ts';
import { ignoredFields } from '../trouble/ignored-fields.ts';
import { specFailure } from '../trouble/spec-invalid.ts';
import { Conditions } from './conditions.ts';
import { busFinalizer, type EventsContext } from './context.ts';
import { tell } from './told.ts';

export type BusPass = Pass<EventBus, EventsContext, Record<string, never>>;

const types = ['Configured', 'Deployed'];
const retryDelay = 2000;
const pruneInterval = 300_000;
const defaultMaxAge = 72 * 3_600_000;
const defaultMaxMessages = 1_000_000;

/** The way of an EventBus: it stays while somebody uses it; its rules; its server; what clients need. */
export const eventBusSteps: readonly Step<BusPass>[] = [remove, validate, deploy];

async function remove(pass: BusPass) {
  const { next, context } = pass;
  const finalizers = next.metadata.finalizers ?? [];
  if (!next.metadata.deletionTimestamp) {
    if (!finalizers.includes(busFinalizer)) next.metadata.finalizers = [...finalizers, busFinalizer];
    return 'continue';
  }
  if (!finalizers.includes(busFinalizer)) return 'stop';
  const users = usersOf(pass);
  if (users.length > 0) {
    pass.event(
      'Warning',
      'EventBusInUse',
      `Cannot be deleted while ${users.slice(0, 5).join(', ')} use${users.length === 1 ? 's' : ''} it`,
    );
    tell(pass.status, [inUse(next.metadata.name ?? '', users)]);
    pass.requeueIn(retryDelay);
    return 'stop';
  }
  if (next.status?.config?.embedded) await context.eventLog().drop(keyOf(next));
  next.metadata.finalizers = finalizers.filter((name) => name !== busFinalizer);
  return 'stop';
}

function usersOf({ next, context }: BusPass): string[] {
  const { namespace, name } = next.metadata;
  const uses = (object: { metadata: { namespace?: string }; spec: { eventBusName?: string } }) =>
    object.metadata.namespace === namespace && busNameOf(object.spec) === name;
  const all = [...context.sources.list(), ...context.sensors.list()];
  return all.filter(uses).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

function validate(pass: BusPass) {
  const conditions = new Conditions(pass.status, types, pass.clock.now());
  const problem = eventBusProblem(pass.next);
  const ignored = ignoredFields(pass.next);
  tell(pass.status, problem ? [specFailure(pass.next, problem)] : ignored);
  if (!problem) return 'continue';
  conditions.isFalse('Configured', 'InvalidSpec', problem.text);
  conditions.isFalse('Deployed', 'InvalidSpec', problem.text);
  return 'stop';
}

async function deploy(pass: BusPass) {
  const { next, context } = pass;
  const conditions = new Conditions(pass.status, types, pass.clock.now());
  const { spec } = next;
  const isNative = spec.jetstream !== undefined || spec.nats?.native !== undefined;
  if (spec.embedded || (isNative && context.settings().nativeBus === 'embedded')) {
    pass.status.config = { embedded: spec.embedded ?? {} };
    conditions.isTrue(
      'Deployed',
      'Embedded',
      spec.embedded
        ? 'the bus is in the process of the controller'
        : 'the embedded bus of the sandbox stands in its place',
    );
    conditions.isTrue('Configured');
    await prune(pass, spec.embedded ?? {});
    return;
  }
  if (isNative) {
    const { deployNativeBus } = await import('./native-bus.ts');
    try {
      await deployNativeBus(pass, conditions);
    } catch (error) {
      const told = diagnosisOf(error);
      conditions.isFalse('Deployed', 'DeployFailed', formatDiagnosis(told));
      tell(pass.status, [told, ...ignoredFields(next)]);
      pass.requeueIn(retryDelay);
    }
    return;
  }
  pass.status.config = exoticConfig(next);
  conditions.isTrue('Deployed', 'Skipped', 'Skip deployment because of using exotic config.');
  conditions.isTrue('Configured');
}

function exoticConfig({ spec, metadata }: EventBus): BusConfig {
  if (spec.jetstreamExotic) return { jetstream: spec.jetstreamExotic };
  if (spec.kafka) {
    const topic = spec.kafka.topic || `${metadata.namespace}-${metadata.name}`;
    return { kafka: { ...spec.kafka, topic } };
  }
  return { nats: spec.nats?.exotic ?? {} };
}

async function prune(
  { next, context, requeueIn }: BusPass,
  { maxAge, maxMsgs }: { maxAge?: string; maxMsgs?: number },
) {
  await context.eventLog().prune(keyOf(next), {
    maxAge: maxAge ? parseDuration(maxAge) : defaultMaxAge,
    maxMessages: maxMsgs ?? defaultMaxMessages,
  });
  requeueIn(pruneInterval);
}
