import { Counter, Gauge, type Registry, Summary } from 'prom-client';

const percentiles = [0.5, 0.75, 0.9, 0.95, 0.99];

/** What event sources and sensors measure, by upstream's names. */
export class EventsMetrics {
  readonly running: Gauge<'namespace' | 'eventsource_name'>;
  readonly sent: Counter<'namespace' | 'eventsource_name' | 'event_name'>;
  readonly sentFailed: Counter<'namespace' | 'eventsource_name' | 'event_name'>;
  readonly processingFailed: Counter<'namespace' | 'eventsource_name' | 'event_name'>;
  readonly processingDuration: Summary<'namespace' | 'eventsource_name' | 'event_name'>;
  readonly triggered: Counter<'namespace' | 'sensor_name' | 'trigger_name'>;
  readonly failed: Counter<'namespace' | 'sensor_name' | 'trigger_name'>;
  readonly retriesFailed: Counter<'namespace' | 'sensor_name' | 'trigger_name'>;
  readonly actionDuration: Summary<'namespace' | 'sensor_name' | 'trigger_name'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const event = ['namespace', 'eventsource_name', 'event_name'] as const;
    const trigger = ['namespace', 'sensor_name', 'trigger_name'] as const;
    const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Counter<L>({ name: `argo_events_${name}`, help, labelNames: [...labelNames], registers });
    const summary = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Summary<L>({ name: `argo_events_${name}`, help, labelNames: [...labelNames], percentiles, registers });
    this.running = new Gauge({
      name: 'argo_events_event_service_running_total',
      help: 'How many configured events in the event source object are running',
      labelNames: ['namespace', 'eventsource_name'],
      registers,
    });
    this.sent = counter('events_sent_total', 'How many events have been sent successfully', event);
    this.sentFailed = counter('events_sent_failed_total', 'How many events failed to be sent to the event bus', event);
    this.processingFailed = counter('events_processing_failed_total', 'How many events failed to be processed', event);
    this.processingDuration = summary(
      'event_processing_duration_milliseconds',
      'Milliseconds from an event to the bus',
      event,
    );
    this.triggered = counter('action_triggered_total', 'How many actions have been triggered successfully', trigger);
    this.failed = counter('action_failed_total', 'How many actions failed', trigger);
    this.retriesFailed = counter('action_retries_failed_total', 'How many actions failed after all retries', trigger);
    this.actionDuration = summary('action_duration_milliseconds', 'Milliseconds that an action took', trigger);
  }
}
