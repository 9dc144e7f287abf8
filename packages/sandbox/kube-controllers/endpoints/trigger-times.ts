import type { Pod } from '../machinery/workload-model.ts';
import type { Service } from './service-model.ts';

const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * When what a service's endpoints tell began to change since they were written last, as far as the objects know it
 * (`TriggerTimeTracker`): the readiness of its pods, and its own creation at first.
 */
export class TriggerTimes {
  readonly #known = new Map<string, { created: string; pods: ReadonlyMap<string, string> }>();

  /** Undefined where nothing of that kind has changed. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#known.get(key);
    const created = service.metadata.creationTimestamp ?? '';
    const times = new Map(
      pods.flatMap(({ metadata: { name = '' }, status }) => {
        const time = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
        return time ? [[name, time]] : [];
      }),
    );
    this.#known.set(key, { created, pods: times });
    if (!before) return created || undefined;
    const changed = [...times].filter(([name, time]) => time > (before.pods.get(name) ?? '')).map(([, time]) => time);
    if (created > before.created) changed.push(created);
    return changed.sort()[0];
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}

/** The annotations with the time, or without where there is none. */
export function withTriggerTime(
  annotations: Record<string, string> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _, ...others } = annotations ?? {};
  return { ...others, ...(time ? { [triggerTimeAnnotation]: time } : {}) };
}
