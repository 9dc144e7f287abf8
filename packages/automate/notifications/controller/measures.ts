import { Counter, Histogram, type Registry } from 'prom-client';
import type { Payload } from '../outbox/record.ts';

/** What is told and how long it takes, by upstream's names. */
export class NotificationMeasures {
  readonly #deliveries: Counter<'trigger' | 'service' | 'succeeded'> | undefined;
  readonly #evaluations: Counter<'name' | 'triggered'> | undefined;
  readonly #sends: SendMeasures | undefined;

  /** With `tellsEvents` also what Argo Rollouts measures of each send. */
  constructor(registry: Registry | undefined, prefix: string, tellsEvents = false) {
    if (!registry) return;
    // kinds that share their settings are counted together
    this.#deliveries = counterOf(registry, {
      name: `${prefix}_notifications_deliveries_total`,
      help: 'Number of delivered notifications.',
      labelNames: ['trigger', 'service', 'succeeded'],
    });
    this.#evaluations = counterOf(registry, {
      name: `${prefix}_notifications_trigger_eval_total`,
      help: 'Number of trigger evaluations.',
      labelNames: ['name', 'triggered'],
    });
    if (tellsEvents) this.#sends = new SendMeasures(registry);
  }

  /** An attempt to deliver that is over, and how long it took. */
  delivered(payload: Payload, succeeded: boolean, milliseconds: number): void {
    const { trigger, service } = payload;
    this.#deliveries?.inc({ trigger, service, succeeded: String(succeeded) });
    this.#sends?.sent(payload, succeeded, milliseconds);
  }

  evaluated(name: string, triggered: boolean): void {
    this.#evaluations?.inc({ name, triggered: String(triggered) });
  }
}

/** The counter of a registry; made by who asks first. */
function counterOf<L extends string>(
  registry: Registry,
  configuration: { name: string; help: string; labelNames: L[] },
): Counter<L> {
  const known = registry.getSingleMetric(configuration.name) as Counter<L> | undefined;
  return known ?? new Counter({ ...configuration, registers: [registry] });
}

const own = ['namespace', 'name'] as const;

/** `notification_send*` of Argo Rollouts: each attempt by the object that it tells of, and the Event. */
class SendMeasures {
  readonly #times: Histogram<(typeof own)[number]>;
  readonly #counts: Readonly<Record<'true' | 'false', Counter>>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#times = new Histogram({
      name: 'notification_send',
      help: 'Notification send performance.',
      labelNames: own,
      buckets: [0.01, 0.15, 0.25, 0.5, 1],
      registers,
    });
    const counter = (name: string, help: string) =>
      new Counter({ name, help, labelNames: [...own, 'type', 'reason'], registers });
    this.#counts = {
      true: counter('notification_send_success', 'Notification send success.'),
      false: counter('notification_send_error', 'Error sending the notification'),
    };
  }

  sent({ namespace, name, event }: Payload, succeeded: boolean, milliseconds: number): void {
    this.#times.observe({ namespace, name }, milliseconds / 1000);
    const { type = 'Normal', reason = '' } = event ?? {};
    this.#counts[`${succeeded}`].inc({ namespace, name, type, reason });
  }
}
