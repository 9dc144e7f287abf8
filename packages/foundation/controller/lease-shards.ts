import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type Client, type Clock, LeaderLease, pause } from '@tiphys/kubernetes';

/** Whether a process may act at all, by somebody who decides that while it runs. */
export interface Permit {
  readonly granted: () => boolean;
  /** True while leases are to be taken from anyone who holds them: its holder is known to be unfit. */
  readonly seizes: () => boolean;
  /** True while leases are about to change hands, so that who waits for one looks more often. */
  readonly expects: () => boolean;
  /** Calls back when `granted` has changed; returns the way to stop it. */
  readonly subscribe: (listener: () => void) => () => void;
}

export interface LeaseShardsOptions {
  readonly client: Client;
  /** Of the control plane. */
  readonly namespace: string;
  readonly clock: Clock;
  /** How many shards there are; 1, which makes it leader election, if absent. */
  readonly count?: number;
  /** The only shard that this process competes for; it takes what is free if absent. */
  readonly only?: number | undefined;
  /** Name of the Lease of a shard. */
  readonly leaseName: (shard: number) => string;
  /** False in a process that only serves: it takes no shard, and stays an observer. True if absent. */
  readonly competes?: boolean;
  /** Without one it is always granted. */
  readonly permit?: Permit | undefined;
  /** What this process holds has changed. */
  readonly onChange: () => void;
  readonly onError: (shard: string, error: unknown) => void;
}

/** Who of this process competes for leases; a holder that is not here any more has gone. */
const here = new Set<string>();

/**
 * Seconds that a lease counts where there are several shards: others follow a process that dies within ten seconds, which are
 * this time and what they take to see its last renewal. A single one keeps the usual 15 seconds.
 */
const shardLeaseSeconds = 7;

/** Milliseconds between two reports of a lease that cannot be had. */
const reportPeriod = 5_000;

/**
 * Work parted over replicas: each shard is a Lease, and anyone who holds it acts for what is in the shard. So replicas never act for
 * one thing at once, and one that dies is followed by another.
 */
export class LeaseShards {
  readonly #options: LeaseShardsOptions;
  readonly #held = new Map<number, AbortSignal>();

  constructor(options: LeaseShardsOptions) {
    this.#options = options;
  }

  /** Competes until the signal aborts; resolves when all leases are given back. */
  async run(signal: AbortSignal): Promise<void> {
    const { only, competes = true } = this.#options;
    if (!competes) return;
    const wanted = only === undefined ? Array.from({ length: this.count }, (_, shard) => shard) : [only];
    await Promise.all(wanted.map((shard) => this.#compete(shard, signal)));
  }

  get count(): number {
    return Math.max(1, this.#options.count ?? 1, (this.#options.only ?? 0) + 1);
  }

  /** Aborts when this process no longer acts for the shard; undefined if it does not. */
  hold(shard: number): AbortSignal | undefined {
    return this.#held.get(shard);
  }

  /** As `hold`, for the shard that a key belongs to by its hash. */
  holdKey(key: string): AbortSignal | undefined {
    return this.hold(shardOfKey(key, this.count));
  }

  async #compete(shard: number, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, leaseName, onChange, permit } = this.#options;
    const identity = `${hostname()}_${process.pid}_${randomBytes(4).toString('hex')}`;
    const isUnfit = (holder: string) => isGone(holder) || permit?.seizes() === true;
    const lease = new LeaderLease(client, {
      ...{ namespace, name: leaseName(shard), identity, clock, isGone: isUnfit },
      ...(permit ? { isHandedOver: permit.expects } : {}),
      ...(this.count > 1 ? { leaseSeconds: shardLeaseSeconds } : {}),
    });
    const ended = new AbortController();
    const reports = this.#report(shard, lease, AbortSignal.any([signal, ended.signal]));
    here.add(identity);
    const onStarted = (lost: AbortSignal) => {
      this.#held.set(shard, lost);
      lost.addEventListener(
        'abort',
        () => {
          this.#held.delete(shard);
          if (!signal.aborted) onChange();
        },
        { once: true },
      );
      onChange();
    };
    try {
      while (!signal.aborted) {
        if (!permit) await lease.run(signal, { onStarted });
        else await whileGranted(permit, signal, (granted) => lease.run(granted, { onStarted }));
      }
    } finally {
      ended.abort();
      here.delete(identity);
      await reports;
    }
  }

  /** Tells once of each reason for which the lease cannot be had. */
  async #report(shard: number, lease: LeaderLease, signal: AbortSignal): Promise<void> {
    let told: string | undefined;
    while (!signal.aborted) {
      await pause(this.#options.clock, reportPeriod, signal);
      const { error, leading } = lease.state();
      if (error && !leading && error.message !== told)
        this.#options.onError(`shard ${shard}`, new DiagnosisError(error));
      told = error?.message;
    }
  }
}

/** Waits until the permit is granted, and works until it is not any more. */
async function whileGranted(
  permit: Permit,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const revoked = new AbortController();
  const look = () => {
    if (permit.granted()) resolve();
    else revoked.abort(new Error('somebody else is to act'));
  };
  const end = () => resolve();
  const waiting = permit.subscribe(() => {
    if (permit.granted()) resolve();
  });
  signal.addEventListener('abort', end, { once: true });
  if (permit.granted()) resolve();
  await promise;
  waiting();
  signal.removeEventListener('abort', end);
  if (signal.aborted) return;
  const stop = permit.subscribe(look);
  look();
  try {
    await work(AbortSignal.any([signal, revoked.signal]));
  } finally {
    stop();
  }
}

/** The shard of a key: FNV-1a over its UTF-8 bytes, modulo the number of shards. */
export function shardOfKey(key: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash % count;
}

/**
 * Whether a holder on this machine is known to be dead, so that a restart need not wait for its lease to end. Other machines
 * are never judged: `hostname_pid_random`.
 */
function isGone(identity: string): boolean {
  const [, host, process_] = /^(.+)_(\d+)_[0-9a-f]{8}$/.exec(identity) ?? [];
  if (host !== hostname()) return false;
  const pid = Number(process_);
  if (pid === process.pid) return !here.has(identity);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
