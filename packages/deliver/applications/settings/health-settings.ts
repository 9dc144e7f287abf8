import type { Diagnosis } from '@tiphys/diagnosis';
import {
  type ClusterCache,
  type HealthContext,
  type HealthScript,
  type IgnoreRule,
  ScriptedHealth,
} from '@tiphys/engine';
import type { Clock, KubeObject } from '@tiphys/kubernetes';
import type { ComparisonSettings } from './comparison-settings.ts';
import type { ApplicationSettings } from './settings.ts';

/**
 * The health checks of argocd-cm, for all caches of clusters: a change is assessed at once, for the kinds that it
 * concerns. Settings that cannot be read change nothing: the last good ones hold, and the comparison tells.
 */
export class HealthSettings implements HealthContext {
  readonly #settings: () => ApplicationSettings;
  readonly #clock: Clock;
  readonly #caches = new Set<ClusterCache>();
  #current: ScriptedHealth;

  constructor(settings: () => ApplicationSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#current = new ScriptedHealth([], () => clock.now());
  }

  custom(object: KubeObject): ReturnType<ScriptedHealth['custom']> {
    return this.#current.custom(object);
  }

  problems(kinds: Parameters<ScriptedHealth['problems']>[0]): Diagnosis[] {
    return this.#current.problems(kinds);
  }

  /** Lets a cache be assessed anew with each change, until the signal aborts. */
  follow(cache: ClusterCache, signal: AbortSignal): void {
    this.#caches.add(cache);
    signal.addEventListener('abort', () => this.#caches.delete(cache), { once: true });
  }

  /** Takes the settings that hold now. */
  update(): void {
    const before = this.#current;
    this.#current = new ScriptedHealth(this.#scripts(), () => this.#clock.now(), before);
    const concerns = (group: string, kind: string) =>
      before.signature(group, kind) !== this.#current.signature(group, kind);
    for (const cache of this.#caches) cache.useHealth(this, concerns);
  }

  /** Updates of objects that nobody has to look at; undefined if all count. */
  ignoredUpdates(): readonly IgnoreRule[] | undefined {
    return this.#comparison()?.ignoredUpdates;
  }

  #scripts(): readonly HealthScript[] {
    return this.#comparison()?.health ?? [];
  }

  /** None where nothing can be read at all: every comparison tells why. */
  #comparison(): ComparisonSettings | undefined {
    const settings = this.#settings();
    try {
      return settings.comparison();
    } catch (error) {
      if (settings.refused) return undefined;
      throw error;
    }
  }
}
