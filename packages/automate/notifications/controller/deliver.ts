import type { ObjectStore, Pass, Step } from '@tiphys/controller';
import { type Diagnosis, DiagnosisError, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import { type Client, elapsed, type KubeObject, type WorkQueue } from '@tiphys/kubernetes';
import { gaveUp } from '../model/diagnoses.ts';
import type { Destination } from '../model/notification.ts';
import { outboxAnnotation, readEntries } from '../outbox/entry.ts';
import { ownerOf, type Payload, type Progress, payloadOf, progressOf, setProgress } from '../outbox/record.ts';
import { pauseAfter, type ServiceHealth } from '../outbox/service-health.ts';
import type { Http } from '../services/http.ts';
import type { Delivery, Threads } from '../services/service.ts';
import { Variables } from '../variables/variables.ts';
import { besides } from './besides.ts';
import type { Engine } from './engine.ts';
import type { NotifiedKind } from './family.ts';
import type { NotificationMeasures } from './measures.ts';
import type { Records } from './records.ts';
import type { SettingsDirectory } from './settings-directory.ts';

export interface DeliverContext {
  readonly family: NotifiedKind;
  readonly client: Client;
  /** Who this process is, anew with each start. */
  readonly holder: string;
  readonly settings: SettingsDirectory;
  readonly objects: ObjectStore<KubeObject>;
  readonly objectQueue: WorkQueue;
  readonly records: Records;
  readonly health: ServiceHealth;
  readonly measures: NotificationMeasures;
  readonly http: Http;
  readonly threads: Threads;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** When settings changed last, in milliseconds: what failed before is tried again at once. */
  settingsChanged(): number;
}

/** What is known of a delivery in this process alone. */
export interface DeliverMemory {
  /** The receiver has it; only the record does not say so yet. */
  isDelivered: boolean;
}

type DeliverPass = Pass<KubeObject, DeliverContext, DeliverMemory>;

/** Milliseconds that one attempt may take. */
const attemptLimit = 30_000;
/** Milliseconds after which another process may take over what one was sending: longer than any attempt. */
const claimLimit = 90_000;
/** Milliseconds after which a notification is given up. */
const giveUpAfter = 24 * 3_600_000;
/** Milliseconds until an object is looked at again that has not settled a record. */
const settlePeriod = 30_000;

/** Sends what is due, and writes before and after how far it is. */
const deliver: Step<DeliverPass> = async (pass) => {
  const { before, next, context, memory, clock } = pass;
  const payload = payloadOf(before);
  const progress = progressOf(before);
  if (!payload || progress.state === 'delivered' || progress.state === 'given-up') return finish(pass);
  if (!(await isCommitted(pass, payload))) return;
  if (!memory.isDelivered) {
    const wait = waitOf(pass, progress, payload);
    if (wait > 0) return pass.requeueIn(wait);
    context.health.begin(healthKey(payload), attemptLimit);
    setProgress(next, {
      state: 'sending',
      attempts: progress.attempts + 1,
      holder: context.holder,
      since: clock.now(),
      notBefore: 0,
      problem: progress.problem,
    });
    try {
      await pass.checkpoint();
    } catch (error) {
      context.health.released(healthKey(payload));
      throw error;
    }
    const problem = await attempt(pass, payload);
    if (problem) return failed(pass, payload, problem);
    memory.isDelivered = true;
  }
  setProgress(next, { state: 'delivered', attempts: progress.attempts + 1, holder: '', since: 0, notBefore: 0 });
  (next as { data?: unknown }).data = {};
  await pass.checkpoint();
  context.objectQueue.add(objectKey(payload));
  await finish(pass);
};

export const deliverSteps: readonly Step<DeliverPass>[] = [deliver];

const objectKey = ({ namespace, name }: Payload): string => `${namespace}/${name}`;

/** A record that is done waits for its object to say so; without the object it is removed. */
async function finish(pass: DeliverPass): Promise<void> {
  const { context, before } = pass;
  const owner = ownerOf(before);
  const seen = context.objects.get(owner.key);
  if (seen?.metadata.uid !== owner.uid && (await liveOwner(pass))?.metadata.uid !== owner.uid)
    return await context.records.remove(before.metadata.name ?? '');
  context.objectQueue.add(owner.key);
  pass.requeueIn(settlePeriod);
}

function liveOwner({ context, before }: DeliverPass): Promise<KubeObject | undefined> {
  const { apiVersion, kind } = context.family;
  const { namespace, name } = ownerOf(before);
  return context.client.find({ apiVersion, kind, ...(namespace ? { namespace } : {}), name });
}

/** Whether the decision stands in the object, or the object is gone and can not say any more. */
async function isCommitted(pass: DeliverPass, payload: Payload): Promise<boolean> {
  const { context, before } = pass;
  const seen = context.objects.get(objectKey(payload));
  const knows = (object: KubeObject): boolean =>
    readEntries(object.metadata.annotations?.[outboxAnnotation]).some(({ id }) => id === before.metadata.name);
  if (seen && seen.metadata.uid === payload.uid && knows(seen)) return true;
  const live = await liveOwner(pass);
  if (!live || live.metadata.uid !== payload.uid) return true;
  if (knows(live)) return true;
  context.objectQueue.add(objectKey(payload));
  pass.requeueIn(settlePeriod);
  return false;
}

const healthKey = ({ settingsNamespace, service }: Payload): string => `${settingsNamespace}/${service}`;

/** Milliseconds until the attempt may begin: somebody else may be at it, or it failed a moment ago. */
function waitOf({ context, clock }: DeliverPass, progress: Progress, payload: Payload): number {
  const now = clock.now();
  if (progress.state === 'sending' && progress.holder !== context.holder)
    return Math.max(0, progress.since + claimLimit - now);
  const isOutdated = context.settingsChanged() > progress.since;
  return Math.max(0, isOutdated ? 0 : progress.notBefore - now, context.health.pause(healthKey(payload)));
}

/** Renders and sends; gives what went wrong. */
async function attempt(pass: DeliverPass, payload: Payload): Promise<unknown> {
  const { context, before, clock } = pass;
  const { family, settings } = context;
  const begun = elapsed(clock);
  const took = () => elapsed(clock) - begun;
  const destination: Destination = { service: payload.service, recipient: payload.recipient };
  const engine = settings.engine(payload.settingsNamespace);
  const delivery: Delivery = {
    id: before.metadata.name ?? '',
    http: context.http,
    threads: context.threads,
    env: context.env,
    now: () => clock.now(),
    // a stop waits for what is under way: ended in the middle, nobody could tell whether it was delivered
    signal: AbortSignal.timeout(attemptLimit),
  };
  try {
    const send = engine.sender(destination);
    const variables = new Variables({
      variable: family.variable,
      object: payload.object,
      project: family.parent?.(payload.object),
      settings: engine.settings,
      now: () => clock.now(),
      questions: family.questions,
      more: await besides(context, payload.object, speaksOf(family, engine, payload)),
      destination,
    });
    await send(await engine.render(payload.templates, variables), destination, delivery);
    if (context.health.succeeded(healthKey(payload))) context.records.deliverAll();
    context.measures.delivered(payload, true, took());
    return undefined;
  } catch (error) {
    context.measures.delivered(payload, false, took());
    return error ?? new Error('unknown');
  }
}

async function failed(pass: DeliverPass, payload: Payload, error: unknown): Promise<void> {
  const { context, clock, next } = pass;
  const { attempts } = progressOf(next);
  const problem = scrubbed(diagnosisOf(error), context.settings.engine(payload.settingsNamespace).settings.secrets);
  // who waits for the receiver, waits together; what is wrong with one notification holds up no other
  const isReceiver = error instanceof DiagnosisError && error.handling === 'retryable';
  const asked = error instanceof DiagnosisError ? (error.retryAfter ?? 0) : 0;
  if (isReceiver) context.health.failed(healthKey(payload), asked);
  else context.health.released(healthKey(payload));
  const pause = Math.max(asked, pauseAfter(attempts));
  const isOver = clock.now() + pause - Date.parse(payload.at) > giveUpAfter;
  setProgress(next, {
    state: isOver ? 'given-up' : 'queued',
    attempts,
    holder: '',
    since: clock.now(),
    notBefore: clock.now() + pause,
    problem: isOver
      ? diagnose(gaveUp, {
          message: `The notification ${payload.trigger} to ${payload.service}:${payload.recipient} is given up after ${attempts} attempts: ${problem.message}`,
          evidence: problem.evidence,
          remedies: problem.remedies,
          causes: [problem],
        })
      : problem,
  });
  await pass.checkpoint();
  context.objectQueue.add(objectKey(payload));
  if (!isOver) pass.requeueIn(pause);
}

/** A diagnosis without values of the Secret, which receivers may repeat. */
function scrubbed(problem: Diagnosis, secrets: ReadonlyMap<string, string>): Diagnosis {
  const values = [...secrets.values()].filter((value) => value.length >= 6);
  if (values.length === 0) return problem;
  let text = JSON.stringify(problem);
  for (const value of values) text = text.replaceAll(JSON.stringify(value).slice(1, -1), '***');
  return JSON.parse(text) as Diagnosis;
}

const speaksOf = ({ beside }: NotifiedKind, engine: Engine, { templates }: Payload): boolean =>
  beside !== undefined && engine.mentions(beside.name, { templates });
