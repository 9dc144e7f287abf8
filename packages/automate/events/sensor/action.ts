import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { CloudEvent } from '../event/cloud-event.ts';
import { withoutSecrets } from '../event/hidden-values.ts';
import type { Events } from '../parameters/parameters.ts';
import { withParameters } from '../parameters/parameters.ts';
import { withRetry } from '../retry/backoff.ts';
import { RateLimit } from '../retry/rate-limit.ts';
import type { Trigger, TriggerTemplate } from '../spec/sensor.ts';
import type { Journal, JournalStep, StepKind } from '../trace/journal.ts';
import type { EventsMetrics } from '../trace/metrics.ts';
import { type Action, ActionError, type TriggerContext } from '../trigger/trigger.ts';
import { triggerTypeOf } from '../trigger/triggers.ts';
import { actionFailure } from '../trouble/diagnoses.ts';
import type { Troubles } from '../trouble/troubles.ts';

export interface ActorOptions {
  readonly trigger: Trigger;
  readonly context: TriggerContext;
  readonly journal: Journal;
  readonly metrics: EventsMetrics | undefined;
  readonly signal: AbortSignal;
  /** Where it is said that the actions of a trigger fail, and that they work again. */
  readonly troubles?: Pick<Troubles, 'set' | 'clear'> | undefined;
  /** Told when an action has failed for good. */
  readonly onFailed: () => void;
}

/** Runs the actions of one trigger: rate limit, parameters, retries, dead letters. */
export class Actor {
  readonly #options: ActorOptions;
  readonly #rateLimit: RateLimit;
  readonly #background = new Set<Promise<void>>();

  constructor(options: ActorOptions) {
    this.#options = options;
    this.#rateLimit = new RateLimit(options.context.clock, options.trigger.rateLimit);
  }

  /**
   * Acts on events. At least once: resolves when action, retries and dead letter have ended. Otherwise it resolves at once, the
   * action runs by itself, and its failure is told and not tried again.
   */
  async act(events: Events): Promise<void> {
    const { trigger } = this.#options;
    if (trigger.atLeastOnce) return this.#withRetries(trigger, events, this.#rateLimit);
    const running = this.#once(trigger, events, this.#rateLimit)
      .catch(() => this.#gaveUp(trigger))
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }

  /** Resolves when no action is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#background);
  }

  async #withRetries(trigger: Trigger, events: Events, rateLimit: RateLimit | undefined): Promise<void> {
    const { context, signal } = this.#options;
    try {
      await withRetry(
        {
          strategy: trigger.retryStrategy,
          clock: context.clock,
          random: context.random,
          signal,
          onRetry: (_, wait) => this.#note(events, trigger, 'retried', `tried again in ${Math.round(wait)} ms`),
        },
        () => this.#once(trigger, events, rateLimit),
      );
    } catch (error) {
      // the process stops: the message comes again, nothing failed for good
      if (signal.aborted) throw error;
      const reason = withoutSecrets(reasonOf(error), payloadsOf(events));
      context.log('warn', `failed to trigger actions, ${reason}`, { triggerName: nameOf(trigger) });
      this.#gaveUp(trigger);
      if (!trigger.dlqTrigger) return;
      this.#note(events, trigger.dlqTrigger, 'dead-letter', `given to ${nameOf(trigger.dlqTrigger)}`);
      await this.#withRetries(trigger.dlqTrigger, events, undefined);
    }
  }

  #gaveUp(trigger: Trigger): void {
    this.#options.metrics?.retriesFailed.inc(this.#labels(trigger));
    this.#options.onFailed();
  }

  async #once(trigger: Trigger, events: Events, rateLimit: RateLimit | undefined): Promise<void> {
    const { context, metrics, signal } = this.#options;
    const waited = (await rateLimit?.take(signal)) ?? 0;
    if (waited > 0) this.#note(events, trigger, 'rate-limited', `waited ${Math.round(waited)} ms for its turn`);
    const started = context.clock.now();
    const fields = {
      triggerName: nameOf(trigger),
      triggeredBy: [...events.keys()],
      triggeredByEvents: [...events.values()].map(({ id }) => id),
    };
    try {
      const done = await this.#perform(trigger, events);
      context.log('info', `Successfully processed trigger '${nameOf(trigger)}'`, fields);
      metrics?.triggered.inc(this.#labels(trigger));
      this.#note(events, trigger, 'triggered', withoutSecrets(done, payloadsOf(events)));
      this.#options.troubles?.clear(`trigger ${nameOf(trigger)}`);
    } catch (error) {
      const reason = withoutSecrets(reasonOf(error), payloadsOf(events));
      context.log('error', 'Failed to execute a trigger', { ...fields, error: reason });
      metrics?.failed.inc(this.#labels(trigger));
      this.#note(events, trigger, 'failed', reason);
      if (!signal.aborted) {
        const sensor = `argoproj.io/Sensor ${context.namespace}/${context.sensorName}`;
        const told = actionFailure(nameOf(trigger), error, sensor);
        this.#options.troubles?.set(
          `trigger ${nameOf(trigger)}`,
          JSON.parse(withoutSecrets(JSON.stringify(told), payloadsOf(events))) as typeof told,
        );
      }
      throw error;
    } finally {
      metrics?.actionDuration.observe(this.#labels(trigger), context.clock.now() - started);
    }
  }

  async #perform(trigger: Trigger, events: Events): Promise<string> {
    const { context, signal } = this.#options;
    const template = withParameters(trigger.template as TriggerTemplate, trigger.parameters, events);
    const type = triggerTypeOf(template);
    if (!type) throw new ActionError(`invalid trigger ${template.name}, could not find an implementation`);
    const act = await type.load();
    const action: Action = { template, policy: trigger.policy, events, signal };
    return act(action, context);
  }

  #labels(trigger: Trigger) {
    const { namespace, sensorName } = this.#options.context;
    return { namespace, sensor_name: sensorName, trigger_name: nameOf(trigger) };
  }

  #note(events: Events, trigger: Trigger, kind: StepKind, text: string): void {
    const { journal, context } = this.#options;
    for (const [dependency, event] of events)
      note(journal, context, event, { kind, text, dependency, trigger: nameOf(trigger) });
  }
}

/** Adds a step to the way of an event through a sensor. */
export function note(
  journal: Journal,
  { namespace, sensorName }: Pick<TriggerContext, 'namespace' | 'sensorName'>,
  event: CloudEvent,
  step: Omit<JournalStep, 'at' | 'sensor'>,
): void {
  const { id, source, subject, type } = event;
  journal.add({ id, namespace, eventSource: source, event: subject, type }, { ...step, sensor: sensorName });
}

function payloadsOf(events: Events): (string | undefined)[] {
  return [...events.values()].map(({ data }) => data);
}

function nameOf({ template }: Trigger): string {
  return template?.name ?? '';
}

/** Why an action failed, in a sentence. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && diagnosisOf(error).code === 'InternalError') return error.message;
  return formatDiagnosis(diagnosisOf(error));
}
