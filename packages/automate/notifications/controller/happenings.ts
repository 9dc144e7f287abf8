import type { ObjectView } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import type { NotifiedKind } from './family.ts';

/** What a measure tells of an Event. */
export interface EventFacts {
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
}

/** One occurrence of an Event of an object. */
export interface Happening {
  /** UID of the Event, and which occurrence it was. */
  readonly id: string;
  /** The trigger that is named after it. */
  readonly trigger: string;
  readonly event: EventFacts;
  readonly at: number;
}

/** An Event as far as it is looked at. */
export interface KubeEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  /** RFC 3339: when it happened last. */
  readonly lastTimestamp?: string;
  readonly count?: number;
  readonly involvedObject?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
}

/** So long an Event is remembered that nobody asked about, such as by a process that does not have the work yet. */
const remembered = 120_000;

export interface HappeningsOptions {
  readonly family: NotifiedKind;
  /** Events; absent if the kind's are not told. */
  readonly events: ObjectView<KubeEvent> | undefined;
  /** When the last process told, in milliseconds: what happened since is asked about. Nothing before the start if absent. */
  readonly missedSince?: number | undefined;
  readonly now: () => number;
  /** Called with the key of an object that something happened to. */
  readonly onHappening: (key: string) => void;
}

/**
 * What happened to objects since this process follows their Events, and while none did, until it is asked about. What was told
 * stands in the object by the Event's occurrence, so that it may be asked about twice.
 */
export class Happenings {
  readonly #options: HappeningsOptions;
  readonly #byObject = new Map<string, Happening[]>();

  constructor(options: HappeningsOptions) {
    this.#options = options;
    const { events, missedSince } = options;
    if (missedSince !== undefined)
      for (const event of events?.list() ?? [])
        if (Date.parse(event.lastTimestamp ?? '') >= missedSince) this.#note(event);
    events?.subscribe(({ type, object }) => type !== 'deleted' && this.#note(object));
  }

  of(object: KubeObject): readonly Happening[] {
    return this.#byObject.get(identityOf(object.metadata)) ?? [];
  }

  /** These were asked about and need not be remembered. */
  asked(object: KubeObject, happenings: readonly Happening[]): void {
    const key = identityOf(object.metadata);
    const left = (this.#byObject.get(key) ?? []).filter((happening) => !happenings.includes(happening));
    if (left.length > 0) this.#byObject.set(key, left);
    else this.#byObject.delete(key);
  }

  #note({ metadata, type = 'Normal', reason, count = 1, involvedObject: about = {} }: KubeEvent): void {
    const { family, now, onHappening } = this.#options;
    if (about.kind !== family.kind || !reason) return;
    this.#forget(now() - remembered);
    const key = identityOf(about);
    const happening: Happening = {
      id: `${metadata.uid ?? ''}.${count}`,
      trigger: triggerOfReason(reason),
      event: { type, reason },
      at: now(),
    };
    this.#byObject.set(key, [...(this.#byObject.get(key) ?? []), happening]);
    onHappening(`${about.namespace ?? ''}/${about.name ?? ''}`);
  }

  /** Objects are in the order of their first happening, so the walk ends soon. */
  #forget(before: number): void {
    for (const [key, happenings] of this.#byObject) {
      if ((happenings[0]?.at ?? 0) >= before) return;
      const left = happenings.filter(({ at }) => at >= before);
      this.#byObject.delete(key);
      if (left.length > 0) this.#byObject.set(key, left);
    }
  }
}

/** An object by its UID, so that one of the same name that was made anew is another. */
const identityOf = ({ uid, namespace, name }: { uid?: string; namespace?: string; name?: string }): string =>
  uid ?? `${namespace ?? ''}/${name ?? ''}`;

/** The trigger of a reason, as upstream names it: `on-rollout-step-completed` of `RolloutStepCompleted`. */
export function triggerOfReason(reason: string): string {
  const words = reason.replace(/(.)([A-Z][a-z]+)/g, '$1-$2').replace(/([a-z0-9])([A-Z])/g, '$1-$2');
  return `on-${words.toLowerCase()}`;
}

/** The Event that a trigger is named after, for one that was not asked at an Event: `RolloutPaused` of `on-rollout-paused`. */
export function eventOfTrigger(trigger: string): EventFacts {
  const words = trigger.replace(/^on-/, '').split('-');
  return { type: 'Normal', reason: words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') };
}
