import { setImmediate } from 'node:timers/promises';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { digestOf } from '../request/digest-of.ts';
import type { Outcome } from '../request/outcome.ts';
import type { RenderRequest } from '../request/rendered.ts';
import { ownerOf, servesOwner } from './generated-values.ts';
import { deepFreeze, type OutcomeAge, type RenderCache } from './render-cache.ts';

/** An outcome, and about how much memory it takes. */
export interface Attempt {
  readonly outcome: Outcome;
  readonly bytes: number;
}

/** What a render that succeeds gives. */
export type RenderedObjects = Omit<Extract<Outcome, { kind: 'objects' }>, 'kind'>;

/** What renders came to: made of what a tool gives or throws, kept, and found again. */
export class Outcomes {
  readonly cache: RenderCache;
  readonly #clock: Clock;

  constructor({ cache, clock }: { cache: RenderCache; clock: Clock }) {
    this.cache = cache;
    this.#clock = clock;
  }

  /** Keeps what the content itself deserves, good or bad; what comes from outside (network, cancellation) is thrown on. */
  async attempt(render: () => Promise<RenderedObjects>): Promise<Attempt> {
    // Reading keeps the process busy: between two sources everybody else gets a turn.
    await setImmediate();
    try {
      const { objects, warnings, ...rest } = await render();
      for (const object of objects) deepFreeze(object);
      return attemptOf({ kind: 'objects', objects, warnings, ...rest });
    } catch (error) {
      if (!(error instanceof DiagnosisError) || error.handling !== 'stalled') throw error;
      return attemptOf({ kind: 'failed', diagnosis: error.diagnosis, since: this.#clock.now() });
    }
  }

  /**
   * The outcome for the one who requests it, from the cache or else of the render. What generates nothing is everybody's; what does
   * is good only for whom its values are recorded.
   */
  async generating(
    digest: string,
    request: RenderRequest,
    render: (signal: AbortSignal) => Promise<Attempt>,
  ): Promise<Outcome> {
    const { noCache = false, signal } = request;
    const serves = (outcome: Outcome, age: OutcomeAge) => servesOwner(outcome, age, request);
    const common = await this.cache.get({ key: digest, noCache, signal }, render);
    request.onFound?.(common.at);
    if (serves(common.outcome, common.age)) return common.outcome;
    const own = await this.cache.get({ key: digestOf([digest, ownerOf(request)]), noCache, signal, serves }, render);
    request.onFound?.(own.at);
    return own.outcome;
  }
}

/** An outcome with the memory that it takes, roughly. */
export function attemptOf(outcome: Outcome): Attempt {
  return { outcome, bytes: outcome.kind === 'objects' ? 2_000 + outcome.objects.length * 3_000 : 4_000 };
}
