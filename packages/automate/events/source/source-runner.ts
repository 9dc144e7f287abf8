import { type Diagnosis, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { Client, Clock } from '@tiphys/kubernetes';
import type { Bus } from '../bus/bus.ts';
import { encodeEvent, eventTime, newEventId } from '../event/cloud-event.ts';
import type { KeyReader } from '../keys/key-reader.ts';
import { withRetry } from '../retry/backoff.ts';
import type { Backoff, KeySelector } from '../spec/common.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { Journal } from '../trace/journal.ts';
import { type Log, withFields } from '../trace/log.ts';
import type { EventsMetrics } from '../trace/metrics.ts';
import { listenFailure, senderFailure } from '../trouble/diagnoses.ts';
import { endpointOf } from '../trouble/endpoints.ts';
import { Troubles } from '../trouble/troubles.ts';
import { connectAndListen } from './connect.ts';
import { expressionFilter } from './expression-filter.ts';
import type { HttpRoutes } from './http-routes.ts';
import type { SourceContext } from './source.ts';
import { eventsOf, type SourceEvent } from './validate-event-source.ts';

export interface SourceRunnerOptions {
  readonly source: EventSource;
  readonly bus: Bus;
  readonly client: Client;
  readonly keys: KeyReader;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly journal: Journal;
  readonly metrics?: EventsMetrics | undefined;
  readonly http: HttpRoutes;
  /** Called when there is something else to tell. */
  readonly changed?: () => void;
}

interface Run {
  readonly event: SourceEvent;
  readonly log: Log;
  readonly context: SourceContext;
  readonly again: () => void;
}

/** Tries of a source that cannot listen: 1 to 31 s apart, as upstream. */
const listenStrategy = { steps: 10, duration: '1s', factor: 1, jitter: 30 };
/** Tries of a publication. */
const publishStrategy = { steps: 5, duration: '1s', factor: 1, jitter: 1 };

/** Runs an EventSource: each of its events listens by itself. */
export class SourceRunner {
  readonly #options: SourceRunnerOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #errors = new Map<string, unknown>();
  readonly #troubles: Troubles;
  /** Events that have failed for good, with what starts them anew. */
  readonly #ended = new Map<string, () => void>();
  readonly #log: Log;

  constructor(options: SourceRunnerOptions) {
    this.#options = options;
    this.#troubles = new Troubles(() => options.changed?.());
    this.#log = withFields(options.log, { eventSourceName: options.source.metadata.name });
  }

  /** What does not work now: events that are not heard, and keys of Secrets that are not there. */
  get diagnoses(): readonly Diagnosis[] {
    const { metadata, spec } = this.#options.source;
    const object = `argoproj.io/EventSource ${metadata.namespace}/${metadata.name}`;
    const unheard = eventsOf(spec)
      .filter(({ name }) => this.#errors.has(name))
      .map(({ kind, name, spec: event }) => {
        const place = { field: `spec.${kind}.${name}`, endpoint: endpointOf(event) };
        return listenFailure({ event: name, error: this.#errors.get(name), ...place }, object);
      });
    return [...unheard, ...this.#troubles.list()];
  }

  /** Events that do not listen now, and why. */
  get problems(): ReadonlyMap<string, string> {
    return new Map([...this.#errors].map(([event, error]) => [event, reasonOf(error)]));
  }

  /** Resolves when every event listens, or has failed for the first time. */
  async start(): Promise<void> {
    this.#log('info', 'Starting event source server...');
    const heard = eventsOf(this.#options.source.spec).map((event) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const log = withFields(this.#log, { eventName: event.name, eventSourceType: event.type.eventType });
      const context = this.#context(event, log);
      const run = () => {
        this.#running.push(this.#run({ event, log, context, again: run }, resolve).finally(resolve));
      };
      run();
      return promise;
    });
    await Promise.all(heard);
    this.#log('info', 'Eventing server started.');
  }

  /** Starts the events that have failed for good anew; without anything to wait for. */
  revive(): void {
    const ended = [...this.#ended.values()];
    this.#ended.clear();
    if (!this.#stop.signal.aborted) for (const again of ended) again();
  }

  /** Resolves when no event listens any more, because all have failed for good or the runner was closed. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the event source stops'));
    await this.ended();
  }

  async #run({ event, log, context, again }: Run, settled: () => void): Promise<void> {
    const { clock, random, metrics, source } = this.#options;
    const { signal } = this.#stop;
    const labels = { namespace: source.metadata.namespace ?? '', eventsource_name: source.metadata.name ?? '' };
    const ready = () => {
      this.#errors.delete(event.name);
      settled();
    };
    metrics?.running.inc(labels);
    try {
      const { listen } = await event.type.load();
      const onRetry = (error: unknown) => {
        if (signal.aborted) return;
        this.#errors.set(event.name, error);
        log('warn', 'failed to listen, trying again', { error: reasonOf(error) });
        settled();
      };
      const attempts = { clock, random, signal, onRetry };
      const strategy = event.spec.connectionBackoff as Backoff | undefined;
      await withRetry({ ...attempts, strategy: listenStrategy }, () =>
        connectAndListen({ ...attempts, strategy }, (connected) =>
          listen(context as never, () => {
            connected();
            ready();
          }),
        ),
      );
    } catch (error) {
      if (signal.aborted) return;
      this.#errors.set(event.name, error);
      this.#ended.set(event.name, again);
      log('error', 'Failed to start listening eventsource', { error: reasonOf(error) });
    } finally {
      metrics?.running.dec(labels);
    }
  }

  #context(event: SourceEvent, log: Log): SourceContext {
    const { source, client, keys, clock, random, http, metrics } = this.#options;
    const labels = this.#labels(event.name);
    metrics?.sent.inc(labels, 0);
    metrics?.sentFailed.inc(labels, 0);
    metrics?.processingFailed.inc(labels, 0);
    const passes = event.type.hasExpression ? expressionFilter(event.spec, clock.now) : () => undefined;
    return {
      namespace: source.metadata.namespace ?? '',
      sourceName: source.metadata.name ?? '',
      eventName: event.name,
      spec: event.spec,
      client,
      keys,
      clock,
      random,
      log,
      http,
      signal: this.#stop.signal,
      failed: (error) => {
        metrics?.processingFailed.inc(labels);
        log('error', 'failed to process an event', { error: reasonOf(error) });
      },
      refused: (sender) => {
        const object = `argoproj.io/EventSource ${source.metadata.namespace}/${source.metadata.name}`;
        const secret = secretOf(event.spec as SecretFields, sender.header);
        const part = sender.given ? 'another secret' : 'no secret';
        this.#troubles.set(`${event.name}: ${part}`, senderFailure(sender, { event: event.name, object, secret }));
      },
      accepted: () => {
        for (const part of ['another secret', 'no secret']) this.#troubles.clear(`${event.name}: ${part}`);
      },
      dispatch: (data, options = {}) =>
        this.#dispatch({ event, data, log, refusal: passes(data), id: options.id ?? newEventId() }),
    };
  }

  #labels(event_name: string) {
    const { metadata } = this.#options.source;
    return { namespace: metadata.namespace ?? '', eventsource_name: metadata.name ?? '', event_name };
  }

  async #dispatch(work: {
    readonly event: SourceEvent;
    readonly data: string;
    readonly id: string;
    readonly log: Log;
    readonly refusal: string | undefined;
  }): Promise<void> {
    const { event, data, id, log, refusal } = work;
    const { source, bus, clock, random, journal, metrics } = this.#options;
    const { namespace = '', name = '' } = source.metadata;
    const labels = this.#labels(event.name);
    const started = clock.now();
    const about = { id, namespace, eventSource: name, event: event.name, type: event.type.eventType };
    journal.add(about, { kind: 'received', text: `received by ${event.type.eventType} source ${name}` });
    if (refusal) {
      journal.add(about, { kind: 'dropped', text: refusal });
      log('debug', 'Filter condition not met, skip dispatching', { reason: refusal });
      return;
    }
    const body = encodeEvent({
      id,
      source: name,
      type: event.type.eventType,
      subject: event.name,
      time: eventTime(started),
      datacontenttype: 'application/json',
      data,
    });
    const message = { eventSourceName: name, eventName: event.name, id, body };
    try {
      await withRetry({ strategy: publishStrategy, clock, random, signal: this.#stop.signal }, () =>
        bus.publish(message),
      );
    } catch (error) {
      log('error', 'Failed to publish an event', { error: reasonOf(error), eventID: id });
      metrics?.sentFailed.inc(labels);
      journal.add(about, { kind: 'failed', text: `the bus did not take it: ${reasonOf(error)}` });
      throw error;
    } finally {
      metrics?.processingDuration.observe(labels, clock.now() - started);
    }
    log('info', 'Succeeded to publish an event', { eventID: id });
    metrics?.sent.inc(labels);
    journal.add(about, { kind: 'published', text: 'stored by the bus' });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && diagnosisOf(error).code === 'InternalError') return error.message;
  return formatDiagnosis(diagnosisOf(error));
}

/** Where sources that verify their senders have the secret. */
interface SecretFields {
  readonly webhookSecret?: KeySelector;
  readonly secretToken?: KeySelector;
  readonly signingSecret?: KeySelector;
  readonly webhook?: { readonly authSecret?: KeySelector };
}

function secretOf(fields: SecretFields, header: string): string | undefined {
  const { webhookSecret, secretToken, signingSecret, webhook } = fields;
  const selector = header === 'Authorization' ? webhook?.authSecret : (webhookSecret ?? secretToken ?? signingSecret);
  return selector && `key ${selector.key} of Secret ${selector.name}`;
}
