import { createHash } from 'node:crypto';
import type { Bus, BusState, Consumer, Delivery } from '../bus/bus.ts';
import { type CloudEvent, decodeEvent, EnvelopeError } from '../event/cloud-event.ts';
import { withoutSecrets } from '../event/hidden-values.ts';
import { filterEvent } from '../filter/filter.ts';
import { TransformError, transformEvent } from '../filter/transform.ts';
import type { Dependency, Trigger } from '../spec/sensor.ts';
import type { Journal } from '../trace/journal.ts';
import type { TriggerContext } from '../trigger/trigger.ts';
import { admissionFailure, subscriptionFailure } from '../trouble/diagnoses.ts';
import type { Troubles } from '../trouble/troubles.ts';
import { type Actor, note } from './action.ts';
import { type Condition, dependenciesOf, isMet, isSimple, missingOf } from './condition.ts';
import { lastReset, watchResets } from './resets.ts';

export interface TriggerRunnerOptions {
  readonly trigger: Trigger;
  readonly condition: Condition;
  readonly dependencies: readonly Dependency[];
  readonly bus: Bus;
  readonly actor: Actor;
  readonly context: TriggerContext;
  readonly journal: Journal;
  readonly troubles?: Pick<Troubles, 'set' | 'clear'> | undefined;
  readonly signal: AbortSignal;
  /** Why nothing is done any more; undefined while all is well. */
  readonly halted: () => string | undefined;
}

/** An event that a condition keeps until the others have come. */
interface Kept {
  readonly event: CloudEvent;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const rememberIds = 60_000;
/** Key, beside those of dependencies, of what the trigger looked like when its state was kept. */
const definitionKey = '#';

/** Takes the events of one trigger from the bus, one after the other, and acts when its condition is met. */
export class TriggerRunner {
  readonly #options: TriggerRunnerOptions;
  readonly #name: string;
  readonly #simple: boolean;
  readonly #kept = new Map<string, Kept>();
  readonly #recent = new Map<string, number>();
  readonly #consumers: Consumer[] = [];
  #state: BusState | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: TriggerRunnerOptions) {
    this.#options = options;
    this.#name = options.trigger.template?.name ?? '';
    this.#simple = isSimple(options.condition);
  }

  /** Resolves when all its consumers are known to the bus. */
  async start(): Promise<void> {
    const { bus, context, trigger, signal } = this.#options;
    if (!this.#simple) await this.#restore();
    for (const [, dependencies] of this.#bySubject()) {
      const [{ eventSourceName, eventName }] = dependencies as [Dependency];
      const id = JSON.stringify([context.sensorName, this.#name, eventSourceName, eventName]);
      const durable = `group-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
      const onMessage = (delivery: Delivery) => this.#inTurn(() => this.#receive(delivery, dependencies));
      const onError = (error: unknown) =>
        context.log('error', 'failed to handle an event, it comes again', {
          triggerName: this.#name,
          error: String(error),
        });
      const onLost = (reason: string | undefined) => this.#lost(dependencies, reason);
      this.#consumers.push(await bus.consume({ durable, eventSourceName, eventName, onMessage, onError, onLost }));
    }
    watchResets(trigger, {
      clock: context.clock,
      signal,
      onReset: () =>
        void this.#inTurn(() => this.#reset()).catch((error: unknown) =>
          context.log('error', 'conditions could not be reset', { error: String(error) }),
        ),
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.close()));
    await this.#options.actor.settled();
  }

  #lost(dependencies: readonly Dependency[], reason: string | undefined): void {
    const { context, troubles } = this.#options;
    const [dependency] = dependencies.map(({ name }) => name);
    const part = `subscription ${this.#name} ${dependency}`;
    const object = `argoproj.io/Sensor ${context.namespace}/${context.sensorName}`;
    if (reason === undefined) troubles?.clear(part);
    else
      troubles?.set(part, subscriptionFailure({ trigger: this.#name, dependency: dependency ?? '', reason }, object));
  }

  /** What the condition has, and since when. */
  waiting(): ReadonlyMap<string, Kept> {
    return this.#kept;
  }

  #bySubject(): Map<string, Dependency[]> {
    const wanted = new Set(dependenciesOf(this.#options.condition));
    const groups = new Map<string, Dependency[]>();
    for (const dependency of this.#options.dependencies) {
      if (!wanted.has(dependency.name)) continue;
      const subject = JSON.stringify([dependency.eventSourceName, dependency.eventName]);
      groups.set(subject, [...(groups.get(subject) ?? []), dependency]);
    }
    return groups;
  }

  /** One event at a time for the whole trigger, whichever consumer brings it. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #receive(delivery: Delivery, dependencies: readonly Dependency[]): Promise<void> {
    const { context } = this.#options;
    let event: CloudEvent;
    try {
      event = decodeEvent(delivery.body);
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      context.log('error', 'Failed to convert to a cloudevent, discarding it...', { error: error.message });
      return delivery.ack();
    }
    if (!this.#isRecent(event.id)) {
      for (const dependency of dependencies) await this.#take(dependency, event);
      this.#recent.set(event.id, context.clock.now());
    }
    await delivery.ack();
  }

  #isRecent(id: string): boolean {
    const oldest = this.#options.context.clock.now() - rememberIds;
    for (const [known, at] of this.#recent) {
      if (at >= oldest) break;
      this.#recent.delete(known);
    }
    return this.#recent.has(id);
  }

  async #take(dependency: Dependency, received: CloudEvent): Promise<void> {
    const event = this.#admitted(dependency, received);
    if (!event) return;
    const { name } = dependency;
    const { condition, actor } = this.#options;
    if (this.#simple) return actor.act(new Map([[name, event]]));
    const present = new Set([...this.#kept.keys(), name]);
    if (!isMet(condition, present)) {
      await this.#keep(name, event);
      this.#note(event, {
        kind: 'waiting',
        dependency: name,
        text: `the condition waits for ${missingOf(condition, present)}`,
      });
      return;
    }
    const events = new Map([...this.#kept].map(([key, { event: kept }]) => [key, kept]));
    await actor.act(events.set(name, event));
    await this.#clear(() => true);
  }

  /** The event as the dependency sees it; undefined if it is not for it. */
  #admitted(dependency: Dependency, received: CloudEvent): CloudEvent | undefined {
    const { context, halted } = this.#options;
    const { name } = dependency;
    const halt = halted();
    if (halt) return void this.#note(received, { kind: 'refused', dependency: name, text: halt });
    let event: CloudEvent;
    try {
      event = transformEvent(dependency, received, context.clock.now);
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      const reason = withoutSecrets(error.message, [received.data]);
      context.log('error', 'failed to apply event transformation', { dependencyName: name, error: reason });
      this.#dropped(name, 'transform', reason);
      return void this.#note(received, { kind: 'dropped', dependency: name, text: `transform: ${reason}` });
    }
    const said = filterEvent(dependency, event, context.clock.now);
    const verdict = said.passes ? said : { ...said, reason: withoutSecrets(said.reason, [received.data, event.data]) };
    if (!verdict.passes && verdict.isError) this.#dropped(name, 'filter', verdict.reason);
    else this.#options.troubles?.clear(`dependency ${name}`);
    if (verdict.passes) return event;
    const about = `Event [ID '${event.id}', Source '${event.source}', Time '${event.time}']`;
    if (verdict.isError)
      context.log('warn', `${about} discarded due to filtering error: ${verdict.reason}`, { triggerName: this.#name });
    else
      context.log('debug', `${about} discarded due to filtering`, { triggerName: this.#name, reason: verdict.reason });
    return void this.#note(event, { kind: 'refused', dependency: name, text: verdict.reason });
  }

  #dropped(dependency: string, kind: 'transform' | 'filter', reason: string): void {
    const { troubles, context } = this.#options;
    const sensor = `argoproj.io/Sensor ${context.namespace}/${context.sensorName}`;
    troubles?.set(`dependency ${dependency}`, admissionFailure({ dependency, reason, kind }, sensor));
  }

  #note(event: CloudEvent, step: { kind: 'waiting' | 'refused' | 'dropped'; dependency: string; text: string }): void {
    note(this.#options.journal, this.#options.context, event, { ...step, trigger: this.#name });
  }

  async #restore(): Promise<void> {
    const { bus, context, trigger, condition, dependencies } = this.#options;
    this.#state = await bus.state(context.sensorName);
    const shape = JSON.stringify([
      condition,
      dependencies.filter(({ name }) => dependenciesOf(condition).includes(name)),
      trigger,
    ]);
    const definition = createHash('sha256').update(shape).digest('hex');
    const entries = await this.#state.entries();
    const isSame = entries.get(this.#key(definitionKey)) === definition;
    const reset = lastReset(trigger, context.clock.now());
    for (const name of dependenciesOf(condition)) {
      const text = entries.get(this.#key(name));
      if (text === undefined) continue;
      const kept = JSON.parse(text) as Kept;
      if (isSame && kept.at > reset) this.#kept.set(name, kept);
      else await this.#state.delete(this.#key(name));
    }
    if (!isSame) await this.#state.put(this.#key(definitionKey), definition);
  }

  #key(name: string): string {
    return `${this.#name}/${name}`;
  }

  async #keep(name: string, event: CloudEvent): Promise<void> {
    const kept = { event, at: this.#options.context.clock.now() };
    await this.#state?.put(this.#key(name), JSON.stringify(kept));
    this.#kept.set(name, kept);
  }

  async #clear(which: (kept: Kept) => boolean): Promise<void> {
    for (const [name, kept] of [...this.#kept]) {
      if (!which(kept)) continue;
      this.#kept.delete(name);
      await this.#state?.delete(this.#key(name));
    }
  }

  async #reset(): Promise<void> {
    const { context, journal } = this.#options;
    context.log('info', 'reset conditions', { triggerName: this.#name });
    for (const [dependency, { event }] of this.#kept)
      note(journal, context, event, {
        kind: 'reset',
        dependency,
        trigger: this.#name,
        text: 'conditionsReset cleared it',
      });
    await this.#clear(() => true);
  }
}
