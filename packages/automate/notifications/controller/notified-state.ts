import type { Destination } from '../model/notification.ts';
import type { ConditionResult } from '../triggers/trigger.ts';

/** So many are kept, the newest. */
const mostNotified = 100;

export interface StateKeyParts {
  /** Namespace of the settings, for those of tenants. */
  readonly selfServiceNamespace?: string | undefined;
  readonly trigger: string;
  readonly result: ConditionResult;
  readonly destination: Destination;
}

/** The key of a condition and whom it tells, as upstream writes it. */
export function stateKey({ selfServiceNamespace, trigger, result, destination }: StateKeyParts): string {
  const { key, oncePer } = result;
  const parts = [trigger, key, destination.service, destination.recipient];
  return [oncePer, selfServiceNamespace, ...parts].filter((part, i) => i > 1 || Boolean(part)).join(':');
}

/**
 * What was told already: the annotation `notified.PREFIX`, as upstream has it: seconds since 1970 by key. An installation may go to
 * Tiphys and back, and nobody is told again.
 */
export class NotifiedState {
  readonly #notified: Map<string, number>;

  constructor(annotation: string | undefined) {
    this.#notified = new Map(Object.entries(read(annotation)));
  }

  has(key: string): boolean {
    return this.#notified.has(key);
  }

  /** Marks as told. False if it was. */
  mark(key: string, milliseconds: number): boolean {
    if (this.#notified.has(key)) return false;
    this.#notified.set(key, Math.floor(milliseconds / 1000));
    return true;
  }

  /** The condition does not hold any more: it is told again when it does. What is told once for something stays told. */
  clear(key: string): void {
    this.#notified.delete(key);
  }

  /** The annotation's text; undefined for none. */
  annotation(): string | undefined {
    if (this.#notified.size === 0) return undefined;
    const newest = [...this.#notified].sort(([, a], [, b]) => b - a).slice(0, mostNotified);
    return JSON.stringify(Object.fromEntries(newest.sort(([a], [b]) => (a < b ? -1 : 1))));
  }
}

function read(annotation: string | undefined): Record<string, number> {
  if (!annotation) return {};
  try {
    const found = JSON.parse(annotation) as Record<string, number>;
    return found !== null && typeof found === 'object' ? found : {};
  } catch {
    return {};
  }
}
