import { timestamp } from '@tiphys/controller';
import type { Condition } from '../spec/common.ts';

/** The conditions of one object: in the order of their types, with the time of the last change of each. */
export class Conditions {
  readonly #list: Condition[];
  readonly #now: number;

  /** Takes those of `status` over; types that it does not have yet are Unknown. */
  constructor(status: { conditions?: Condition[] }, types: readonly string[], now: number) {
    this.#list = [...(status.conditions ?? [])].filter(({ type }) => types.includes(type));
    this.#now = now;
    status.conditions = this.#list;
    for (const type of types)
      if (!this.#list.some((condition) => condition.type === type)) this.#set({ type, status: 'Unknown' });
  }

  isTrue(type: string, reason = '', message = ''): void {
    this.#set({ type, status: 'True', reason, message });
  }

  isFalse(type: string, reason: string, message: string): void {
    this.#set({ type, status: 'False', reason, message });
  }

  isUnknown(type: string, reason: string, message: string): void {
    this.#set({ type, status: 'Unknown', reason, message });
  }

  #set({ reason, message, ...given }: Omit<Condition, 'lastTransitionTime'>): void {
    const condition: Condition = { ...given, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    const index = this.#list.findIndex(({ type }) => type === condition.type);
    const known = this.#list[index];
    if (
      known &&
      known.status === condition.status &&
      known.reason === condition.reason &&
      known.message === condition.message
    )
      return;
    const made = { ...condition, lastTransitionTime: timestamp(this.#now) };
    if (index >= 0) this.#list[index] = made;
    else this.#list.push(made);
    this.#list.sort((a, b) => (a.type < b.type ? -1 : 1));
  }
}
