import type { Clock } from '@tiphys/kubernetes';
import type { ControlPlane } from '../settings/control-plane.ts';

export interface ThrottleOptions {
  /** Failures after which a name is locked; 5 by default. */
  readonly limit?: number;
  /** How long after the last failure, in seconds; 300 by default, 0 for ever. */
  readonly window?: number;
  /** Names kept in memory; 10,000 by default. */
  readonly size?: number;
}

interface Attempts {
  count: number;
  last: number;
  pending: number;
}

const store = 'tiphys-login-attempts';

/** Limits from the variables that Argo CD knows; a value that is no whole number in range is as good as none. */
export function throttleOptions(env: Readonly<Record<string, string | undefined>>): ThrottleOptions {
  const number = (name: string, least: number) => {
    const value = Number(env[name] ?? '');
    return env[name]?.trim() && Number.isSafeInteger(value) && value >= least ? value : undefined;
  };
  const limit = number('ARGOCD_SESSION_FAILURE_MAX_FAIL_COUNT', 1);
  const window = number('ARGOCD_SESSION_FAILURE_WINDOW_SECONDS', 0);
  const size = number('ARGOCD_SESSION_MAX_CACHE_SIZE', 1);
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(window === undefined ? {} : { window }),
    ...(size === undefined ? {} : { size }),
  };
}

/**
 * Counts failed logins a name. An attempt is counted before the password is looked at, so that attempts side by side
 * cannot pass the limit; counts of accounts that exist survive a restart and are never evicted by other names.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #plane: ControlPlane;
  readonly #limit: number;
  readonly #window: number;
  readonly #size: number;
  readonly #attempts = new Map<string, Attempts>();
  #loaded: Promise<void> | undefined;

  constructor(plane: ControlPlane, clock: Clock, options: ThrottleOptions = {}) {
    this.#plane = plane;
    this.#clock = clock;
    this.#limit = options.limit ?? 5;
    this.#window = (options.window ?? 300) * 1000;
    this.#size = options.size ?? 10_000;
  }

  /** Reserves one attempt; returns the seconds to wait if the name is locked, else 0. Each 0 needs a `finish`. */
  async begin(name: string, known: boolean): Promise<number> {
    this.#loaded ??= this.#load();
    await this.#loaded;
    const now = this.#clock.now();
    this.#readOthers(name);
    let entry = this.#attempts.get(name);
    if (entry && entry.pending === 0 && this.#window > 0 && now - entry.last > this.#window) {
      this.#attempts.delete(name);
      entry = undefined;
    }
    if (!entry) {
      if (!known) this.#makeRoom();
      entry = { count: 0, last: now, pending: 0 };
      this.#attempts.set(name, entry);
    }
    if (entry.count + entry.pending >= this.#limit)
      return this.#window === 0
        ? Number.POSITIVE_INFINITY
        : Math.max(1, Math.ceil((entry.last + this.#window - now) / 1000));
    entry.pending += 1;
    return 0;
  }

  /** Ends an attempt that `begin` let through. */
  async finish(name: string, known: boolean, succeeded: boolean): Promise<void> {
    const entry = this.#attempts.get(name);
    if (!entry) return;
    entry.pending -= 1;
    const before = entry.count;
    entry.count = succeeded ? 0 : entry.count + 1;
    entry.last = this.#clock.now();
    if (succeeded && entry.pending === 0) this.#attempts.delete(name);
    if (known && before !== entry.count) await this.#save(name, entry, succeeded);
  }

  /** Names that are no accounts are evicted oldest first; accounts were persisted and are marked by that. */
  readonly #persistent = new Set<string>();

  #makeRoom(): void {
    if (this.#attempts.size < this.#size) return;
    for (const [name, entry] of this.#attempts) {
      if (this.#persistent.has(name) || entry.pending > 0) continue;
      this.#attempts.delete(name);
      return;
    }
  }

  /** What another replica saw of this name since. */
  #readOthers(name: string): void {
    const [count, last] = (this.#plane.configMap(store)[name] ?? '').split(' ').map(Number);
    const entry = this.#attempts.get(name);
    if (!count || !last || (entry && (entry.last > last || entry.count >= count))) return;
    this.#attempts.set(name, { count, last, pending: entry?.pending ?? 0 });
    this.#persistent.add(name);
  }

  async #load(): Promise<void> {
    const data = this.#plane.configMap(store);
    for (const [name, text] of Object.entries(data)) {
      const [count, last] = text.split(' ').map(Number);
      if (!count || !last) continue;
      this.#attempts.set(name, { count, last, pending: 0 });
      this.#persistent.add(name);
    }
  }

  /** Failures are added to what is stored, so that those of all replicas count. */
  async #save(name: string, entry: Attempts, succeeded: boolean): Promise<void> {
    this.#persistent.add(name);
    const oldest = this.#clock.now() - this.#window;
    await this.#plane.change('ConfigMap', store, (data) => {
      const kept = Object.fromEntries(
        Object.entries(data).filter(
          ([key, text]) => key !== name && (this.#window === 0 || Number(text.split(' ')[1]) > oldest),
        ),
      );
      if (succeeded) return kept;
      const stored = data[name]?.split(' ').map(Number) ?? [];
      const live = this.#window === 0 || (stored[1] ?? 0) > oldest;
      entry.count = Math.max(entry.count, (live ? (stored[0] ?? 0) : 0) + 1);
      return { ...kept, [name]: `${entry.count} ${entry.last}` };
    });
  }
}
