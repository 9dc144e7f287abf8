import { copyJson, type Pass, type Step } from '@tiphys/controller';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { isAlreadyExists } from '@tiphys/kubernetes';
import { subscriptionUnreadable } from '../model/diagnoses.ts';
import type { Destination } from '../model/notification.ts';
import {
  type OutboxEntry,
  outboxAnnotation,
  problemsAnnotation,
  readEntries,
  shortProblem,
  writeEntries,
} from '../outbox/entry.ts';
import { newRecord, type Payload, payloadOf, progressOf, recordName } from '../outbox/record.ts';
import { unreadableLists } from '../subscriptions/subscriptions.ts';
import type { ConditionResult, Trigger } from '../triggers/trigger.ts';
import { Variables } from '../variables/variables.ts';
import { besides } from './besides.ts';
import type { Engine } from './engine.ts';
import type { NotifiedKind } from './family.ts';
import { type EventFacts, eventOfTrigger, type Happening, type Happenings } from './happenings.ts';
import type { NotificationMeasures } from './measures.ts';
import { NotifiedState, stateKey } from './notified-state.ts';
import type { Records } from './records.ts';
import type { SettingsDirectory } from './settings-directory.ts';
import { type Subscribed, subscribed } from './subscribed.ts';

export interface DecideContext {
  readonly family: NotifiedKind;
  readonly client: Client;
  readonly namespace: string;
  readonly settings: SettingsDirectory;
  readonly records: Records;
  readonly measures: NotificationMeasures;
  readonly happenings: Happenings;
}

/** What a pass has decided, until it is written. */
export interface DecideMemory {
  entries: OutboxEntry[];
  /** Records that nobody needs any more once the pass is written. */
  done: string[];
  /** Records that were found without an entry and took one, by the key of the state that they were decided by. */
  adopted: Map<string, string>;
  /** Events that were asked about. */
  happenings: readonly Happening[];
}

type DecidePass = Pass<KubeObject, DecideContext, DecideMemory>;

/** Milliseconds after which triggers that look at the time are asked again, as upstream does. */
const timePeriod = 60_000;
/** Entries that were given up are shown so long. */
const givenUpShown = 7 * 24 * 3_600_000;
/** Entries an object may have; beyond it nothing is decided until some are delivered. */
const mostEntries = 100;

/** Whether the object is to be looked at now; what happened to it meanwhile is kept. */
const guard: Step<DecidePass> = ({ context, before }) => {
  return context.family.skips(before) === undefined ? 'continue' : 'stop';
};

/** Takes over what became of the deliveries. */
const settle: Step<DecidePass> = async (pass) => {
  const { memory, before, context } = pass;
  memory.entries = [];
  memory.done = [];
  memory.adopted = new Map();
  memory.happenings = [];
  for (const entry of readEntries(before.metadata.annotations?.[outboxAnnotation])) {
    const kept = await settled(pass, entry);
    if (kept) memory.entries.push(kept);
  }
  for (const record of context.records.of(before.metadata.uid ?? '')) await adopt(pass, record);
};

async function settled(
  { context, memory, clock, event }: DecidePass,
  entry: OutboxEntry,
): Promise<OutboxEntry | undefined> {
  const to = `${entry.service}:${entry.recipient}`;
  if (entry.givenUp) return clock.now() - Date.parse(entry.at) < givenUpShown ? entry : undefined;
  const record = await context.records.find(entry.id);
  if (!record) {
    event(
      'Warning',
      'NotificationLost',
      `${entry.trigger} to ${to}: its record ${entry.id} was deleted before it was delivered`,
    );
    return undefined;
  }
  const { state, problem } = progressOf(record);
  if (state === 'delivered') {
    memory.done.push(entry.id);
    event('Normal', 'NotificationDelivered', `${entry.trigger} to ${to}`);
    return undefined;
  }
  if (state === 'given-up') {
    memory.done.push(entry.id);
    event('Warning', 'NotificationGivenUp', `${entry.trigger} to ${to}: ${problem?.message ?? ''}`);
    return { ...entry, givenUp: true, ...(problem ? { problem: shortProblem(problem) } : {}) };
  }
  if (!problem || problem.code === entry.problem?.code) return entry;
  event('Warning', 'NotificationFailed', `${entry.trigger} to ${to}: ${problem.message}`);
  return { ...entry, problem: shortProblem(problem) };
}

/**
 * A record that the object does not know: the process died, or lost a race, between making the record and writing the object. If
 * the state tells that it was told of, another record took its place; if not, nobody was told of it, and it is delivered.
 */
async function adopt({ memory, before, context }: DecidePass, record: KubeObject): Promise<void> {
  const id = record.metadata.name ?? '';
  if (memory.entries.some((entry) => entry.id === id) || memory.done.includes(id)) return;
  const { state } = progressOf(record);
  const payload = payloadOf(record);
  if (state === 'delivered' || state === 'given-up' || !payload) {
    memory.done.push(id);
    return;
  }
  const { namespace, name } = payload;
  const { apiVersion, kind } = context.family;
  const live = await context.client.find({ apiVersion, kind, ...(namespace ? { namespace } : {}), name });
  if (live?.metadata.resourceVersion !== before.metadata.resourceVersion) return;
  const notified = new NotifiedState(before.metadata.annotations?.[notifiedAnnotation(context.family)]);
  if (notified.has(payload.stateKey) || memory.adopted.has(payload.stateKey)) {
    memory.done.push(id);
    return;
  }
  memory.adopted.set(payload.stateKey, id);
  memory.entries.push(entryOf(id, payload));
}

export const notifiedAnnotation = ({ prefix }: NotifiedKind): string => `notified.${prefix}`;

const entryOf = (id: string, { trigger, service, recipient, at }: Payload): OutboxEntry => ({
  id,
  trigger,
  service,
  recipient,
  at,
});

/** Asks the triggers, and decides what is new. */
const decide: Step<DecidePass> = async (pass) => {
  const { context, before, next, memory } = pass;
  const key = notifiedAnnotation(context.family);
  const notified = new NotifiedState(before.metadata.annotations?.[key]);
  memory.happenings = context.happenings.of(before);
  const engines = context.settings
    .for(before.metadata.namespace ?? '')
    .map((engine) => ({ engine, ...subscribed(engine, context.family, before) }));
  for (const served of engines) await decideBy(pass, served, notified);
  setAnnotation(next, key, notified.annotation());
  setAnnotation(next, outboxAnnotation, writeEntries(memory.entries));
  setAnnotation(next, problemsAnnotation, subscriptionProblems(pass, engines));
};

function setAnnotation(object: KubeObject, name: string, value: string | undefined): void {
  const { [name]: _before, ...rest } = object.metadata.annotations ?? {};
  object.metadata.annotations = value === undefined ? rest : { ...rest, [name]: value };
}

interface Served extends Subscribed {
  readonly engine: Engine;
}

const mostProblems = 5;

/** Subscriptions that none of the settings can serve: a misspelt name is reported before its first notification would be due. */
function subscriptionProblems(pass: DecidePass, all: readonly Served[]): string | undefined {
  const { family } = pass.context;
  const triggers = new Set(all.flatMap(({ destinations }) => [...destinations.keys()]));
  const services = new Set(
    all.flatMap(({ destinations }) => [...destinations.values()].flat().map(({ service }) => service)),
  );
  const unserved = [
    ...[...triggers].map((name) => all.map(({ engine }) => engine.triggerProblem(name))),
    ...[...services].map((name) => all.map(({ engine }) => engine.serviceProblem(name))),
  ].flatMap(([first, ...others]) => (first && others.every(Boolean) ? [shortProblem(first)] : []));
  const isServed = (name: string) =>
    all.some(({ engine, destinations }) => destinations.has(name) && engine.trigger(name));
  const foreign = [...new Set(all.flatMap(({ foreign: names }) => names))]
    .filter((name) => !isServed(name))
    .flatMap(
      (name) => all.find(({ foreign: names }) => names.includes(name))?.engine.foreignTrigger(name, family) ?? [],
    );
  const problems = [...[...unreadableSubscriptions(pass), ...foreign].map(shortProblem), ...unserved];
  return problems.length > 0 ? JSON.stringify(problems.slice(0, mostProblems)) : undefined;
}

/** Lists of subscriptions, of the object or of its project, that subscribe nobody because they cannot be read. */
function unreadableSubscriptions({ context: { family }, before }: DecidePass): Diagnosis[] {
  const parent = family.parent?.(before);
  return [before, ...(parent ? [parent] : [])].flatMap((object) =>
    unreadableLists(object.metadata.annotations ?? {}, family.prefix).map(({ key, reason }) =>
      diagnose(subscriptionUnreadable, {
        message: `The annotation ${key} of ${object.kind} ${object.metadata.name} subscribes nobody: ${reason}`,
        place: {
          object: `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`,
          field: `metadata.annotations["${key}"]`,
        },
        remedies: [
          {
            text: 'Write a list of triggers and destinations',
            paste: `${key}: |\n  - trigger: [on-sync-failed]\n    destinations:\n    - service: slack\n      recipients: [team]`,
          },
        ],
      }),
    ),
  );
}

async function decideBy(pass: DecidePass, { engine, destinations }: Served, notified: NotifiedState): Promise<void> {
  const { context, before, clock } = pass;
  const { family } = context;
  const { settings } = engine;
  if (destinations.size === 0) return;
  const parent = family.parent?.(before);
  const variables = new Variables({
    variable: family.variable,
    object: before,
    project: parent,
    settings,
    now: () => clock.now(),
    questions: family.questions,
    more: await besides(
      context,
      before,
      [...destinations.keys()].some((name) => speaksOf(context, engine, name)),
    ),
  });
  for (const [name, targets] of destinations) {
    const trigger = engine.trigger(name);
    if (!trigger) continue;
    if (engine.dependsOnTime(name)) pass.requeueIn(timePeriod);
    const found = await variables.read((values) => trigger.evaluate(values, () => clock.now()));
    const states = found.map((result) => ({ result, event: eventOfTrigger(name) }));
    for (const { result, event } of [...states, ...atEvents(pass.memory.happenings, { name, trigger })]) {
      context.measures.evaluated(name, result.triggered);
      for (const destination of targets)
        await tell(pass, { engine, notified, trigger: name, result, event, destination });
    }
  }
}

/** What the conditions without `when` say: they hold once for each Event that the trigger is named after. */
function atEvents(
  happenings: readonly Happening[],
  { name, trigger }: { name: string; trigger: Trigger },
): { result: ConditionResult; event: EventFacts }[] {
  return happenings
    .filter((happening) => happening.trigger === name)
    .flatMap(({ id, event }) => trigger.atEvents().map((result) => ({ result: { ...result, oncePer: id }, event })));
}

const speaksOf = ({ family: { beside } }: DecideContext, engine: Engine, trigger: string): boolean =>
  beside !== undefined && engine.mentions(beside.name, { trigger });

interface Finding {
  readonly engine: Engine;
  readonly notified: NotifiedState;
  readonly trigger: string;
  readonly result: ConditionResult;
  readonly event: EventFacts;
  readonly destination: Destination;
}

async function tell(
  pass: DecidePass,
  { engine, notified, trigger, result, event, destination }: Finding,
): Promise<void> {
  const { context, before, memory, clock } = pass;
  const { settings } = engine;
  const selfServiceNamespace = settings.isSelfService ? settings.namespace : undefined;
  const key = stateKey({ selfServiceNamespace, trigger, result, destination });
  if (!result.triggered) return notified.clear(key);
  if (notified.has(key) || memory.entries.length >= mostEntries) return;
  if (memory.adopted.has(key)) {
    notified.mark(key, clock.now());
    return;
  }
  const id = recordName(before, key);
  const { namespace = '', name = '', uid = '' } = before.metadata;
  const payload: Payload = {
    kind: before.kind,
    namespace,
    name,
    uid,
    trigger,
    ...(context.family.tellsEvents ? { event } : {}),
    stateKey: key,
    settingsNamespace: settings.namespace,
    service: destination.service,
    recipient: destination.recipient,
    templates: result.templates,
    at: new Date(clock.now()).toISOString(),
    object: withoutManagedFields(before),
  };
  try {
    await context.client.create(newRecord(id, context.namespace, context.family.name, payload));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  notified.mark(key, clock.now());
  memory.entries.push(entryOf(id, payload));
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const copy = copyJson(object);
  delete copy.metadata.managedFields;
  return copy;
}

/** Writes the decision, then removes what nobody needs any more. */
const commit: Step<DecidePass> = async (pass) => {
  await pass.checkpoint();
  pass.context.happenings.asked(pass.before, pass.memory.happenings);
  for (const id of pass.memory.done) await pass.context.records.remove(id);
  for (const { id, givenUp } of pass.memory.entries) if (!givenUp) pass.context.records.deliver(id);
};

export const decideSteps: readonly Step<DecidePass>[] = [guard, settle, decide, commit];
