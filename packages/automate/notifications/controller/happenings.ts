import type { ObjectView } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import type { NotifiedKind } from './family.ts';

/** One occurrence of an Event of an object. */
export interface Happening {
  /** UID of the Event, and which occurrence it was. */
  readonly id: string;
  /** The trigger that is named after it. */
  readonly trigger: string;
  readonly at: number;
}

/** An Event as far as it is looked at. */
export interface KubeEvent extends KubeObject {
  readonly reason?: string;
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
  readonly now: () => number;
  /** Called with the key of an object that something happened to. */
  readonly onHappening: (key: string) => void;
}

/** What happened to objects since this process follows their Events, until it is asked about. */
export class Happenings {
  readonly #options: HappeningsOptions;
  readonly #byObject = new Map<string, Happening[]>();

  constructor(options: HappeningsOptions) {
    this.#options = options;
    options.events?.subscribe(({ type, object }) => type !== 'deleted' && this.#note(object));
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

  #note({ metadata, reason, count = 1, involvedObject: about = {} }: KubeEvent): void {
    const { family, now, onHappening } = this.#options;
    if (about.kind !== family.kind || !reason) return;
    this.#forget(now() - remembered);
    const key = identityOf(about);
    const happening = { id: `${metadata.uid ?? ''}.${count}`, trigger: triggerOfReason(reason), at: now() };
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
