import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { isAlreadyExists, isConflict } from '../connect/api-error.ts';
import type { Client } from '../connect/client.ts';
import { type Clock, elapsed, pause, systemClock } from '../connect/clock.ts';
import { microTime } from '../object/micro-time.ts';
import type { KubeObject } from '../object/object.ts';

export interface LeaderLeaseOptions {
  namespace: string;
  name: string;
  /** Who we are; unique among the replicas. */
  identity: string;
  clock?: Clock;
  /** Seconds that the lease counts after it was renewed. 15 if absent. */
  leaseSeconds?: number;
  /** Milliseconds between tries to get or renew it. 2000 if absent. */
  retryPeriod?: number;
  /** Whether a holder is known to be dead, so that nobody has to wait for the end of its lease. */
  isGone?: (identity: string) => boolean;
  /** Whether the lease is about to change hands: who waits for it looks every half a second then. */
  isHandedOver?: () => boolean;
}

/** Milliseconds between two looks of who waits for a lease that is about to change hands. */
const handoverPeriod = 500;

interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/**
 * Leadership by a Lease of coordination.k8s.io/v1, compatible with client-go's leader election. Others' clocks are not
 * trusted: a lease is over when its record has not changed for its duration by our clock, also if somebody sets that one.
 */
export class LeaderLease {
  readonly #client: Client;
  readonly #options: LeaderLeaseOptions;
  readonly #clock: Clock;
  #observed: { record: string; at: number; lease: Lease } | undefined;
  #error: Diagnosis | undefined;
  #leading = false;
  /** What was observed is what we wrote last. */
  #fresh = false;

  constructor(client: Client, options: LeaderLeaseOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Who holds the lease, as last seen, and why it could not be read or renewed, while it cannot. */
  state(): { leading: boolean; holder: string | undefined; error?: Diagnosis } {
    const holder = this.#observed?.lease.spec?.holderIdentity || undefined;
    return { leading: this.#leading, holder, ...(this.#error ? { error: this.#error } : {}) };
  }

  /**
   * Competes for the lease until the signal aborts. `onStarted` is called each time we become leader, with a signal that
   * aborts when leadership is lost or given up; it is waited for before the lease is released. Throws only what `onStarted` throws.
   */
  async run(
    signal: AbortSignal,
    callbacks: { onStarted: (signal: AbortSignal) => Promise<void> | void },
  ): Promise<void> {
    while (!signal.aborted) {
      if (await this.#try(signal)) await this.#lead(signal, callbacks.onStarted);
      else await this.#pause(signal, this.#untilNext());
    }
  }

  async #lead(signal: AbortSignal, onStarted: (signal: AbortSignal) => Promise<void> | void): Promise<void> {
    this.#leading = true;
    const lost = new AbortController();
    const during = AbortSignal.any([signal, lost.signal]);
    const work = (async () => onStarted(during))();
    let failed: { error: unknown } | undefined;
    work.catch((error: unknown) => {
      failed = { error };
      lost.abort(error);
    });
    // we stop before others may think that we are gone
    const timeout = this.#leaseSeconds * 1000 * (2 / 3);
    let renewed = elapsed(this.#clock);
    while (!during.aborted) {
      await this.#pause(during);
      if (during.aborted) break;
      if (await this.#try(during)) renewed = elapsed(this.#clock);
      else if (elapsed(this.#clock) - renewed >= timeout || this.#holder !== this.#options.identity)
        lost.abort(new Error('leadership lost'));
    }
    await work.catch(() => undefined);
    this.#leading = false;
    await this.#release();
    if (failed) throw failed.error;
  }

  get #leaseSeconds(): number {
    return this.#options.leaseSeconds ?? 15;
  }

  get #holder(): string {
    return this.#observed?.lease.spec?.holderIdentity ?? '';
  }

  async #pause(signal: AbortSignal, atMost = Number.POSITIVE_INFINITY): Promise<void> {
    const period = (this.#options.retryPeriod ?? 2000) * (1 + 0.2 * Math.random());
    await pause(this.#clock, Math.min(period, atMost), signal);
  }

  #untilNext(): number {
    const handover = this.#options.isHandedOver?.() ? handoverPeriod : Number.POSITIVE_INFINITY;
    return Math.min(handover, this.#untilOver());
  }

  /** Milliseconds until the lease of another is over unless it is renewed: anyone who follows does not wait for a turn more. */
  #untilOver(): number {
    if (!this.#observed) return Number.POSITIVE_INFINITY;
    const { at, lease } = this.#observed;
    const left = at + (lease.spec?.leaseDurationSeconds ?? this.#leaseSeconds) * 1000 - elapsed(this.#clock);
    return left > 0 ? left : Number.POSITIVE_INFINITY;
  }

  /** Gets or renews the lease; false if somebody else holds it or it could not be written. */
  async #try(signal: AbortSignal): Promise<boolean> {
    try {
      const won = await this.#acquire(signal);
      this.#error = undefined;
      return won;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !signal.aborted) this.#error = diagnosisOf(error);
      return false;
    }
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { namespace, name, identity } = this.#options;
    const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
    const now = microTime(this.#clock.now());
    // Nobody else writes the lease of a leader: a conflict with what we wrote last is how we learn that somebody did.
    const known = this.#fresh ? this.#observed?.lease : undefined;
    this.#fresh = false;
    const lease = known ?? (await this.#client.find<Lease>(ref, { signal }));
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: this.#leaseSeconds,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    };
    if (!lease) {
      const created: Lease = { apiVersion: ref.apiVersion, kind: 'Lease', metadata: { namespace, name }, spec };
      this.#observe(await this.#client.create<Lease>(created, { signal }));
      return true;
    }
    this.#observe(lease);
    const held = lease.spec ?? {};
    const mine = held.holderIdentity === identity;
    const free = !held.holderIdentity || this.#options.isGone?.(held.holderIdentity) === true;
    if (!mine && !free && !this.#isOver(held.leaseDurationSeconds ?? this.#leaseSeconds)) return false;
    const transitions = held.leaseTransitions ?? 0;
    const next = mine
      ? { ...spec, acquireTime: held.acquireTime ?? now, leaseTransitions: transitions }
      : { ...spec, leaseTransitions: transitions + 1 };
    this.#observe(await this.#client.update<Lease>({ ...lease, spec: { ...held, ...next } }, { signal }));
    this.#fresh = true;
    return true;
  }

  #observe(lease: Lease): void {
    const record = JSON.stringify(lease.spec ?? {});
    if (this.#observed?.record !== record) this.#observed = { record, at: elapsed(this.#clock), lease };
    else this.#observed.lease = lease;
  }

  #isOver(seconds: number): boolean {
    return this.#observed !== undefined && elapsed(this.#clock) - this.#observed.at >= seconds * 1000;
  }

  /** Lets the others in at once; if that fails they wait until the lease is over. */
  async #release(): Promise<void> {
    const lease = this.#observed?.lease;
    if (!lease || this.#holder !== this.#options.identity) return;
    const now = microTime(this.#clock.now());
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    try {
      this.#observe(await this.#client.update<Lease>({ ...lease, spec }, { signal: AbortSignal.timeout(5000) }));
    } catch (error) {
      this.#error = diagnosisOf(error);
    }
  }
}
