import { Counter, type Registry } from 'prom-client';

/** What upstream measures, by its names. */
export class NotificationMeasures {
  readonly #deliveries: Counter<'trigger' | 'service' | 'succeeded'> | undefined;
  readonly #evaluations: Counter<'name' | 'triggered'> | undefined;

  constructor(registry: Registry | undefined, prefix: string) {
    if (!registry) return;
    this.#deliveries = new Counter({
      name: `${prefix}_notifications_deliveries_total`,
      help: 'Number of delivered notifications.',
      labelNames: ['trigger', 'service', 'succeeded'],
      registers: [registry],
    });
    this.#evaluations = new Counter({
      name: `${prefix}_notifications_trigger_eval_total`,
      help: 'Number of trigger evaluations.',
      labelNames: ['name', 'triggered'],
      registers: [registry],
    });
  }

  delivered(trigger: string, service: string, succeeded: boolean): void {
    this.#deliveries?.inc({ trigger, service, succeeded: String(succeeded) });
  }

  evaluated(name: string, triggered: boolean): void {
    this.#evaluations?.inc({ name, triggered: String(triggered) });
  }
}
