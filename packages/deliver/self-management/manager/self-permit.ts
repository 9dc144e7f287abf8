import type { Permit } from '@tiphys/controller';
import { isEnd, type SelfUpdate } from '../state/state.ts';

const handsOver: ReadonlySet<string> = new Set(['Applying', 'Watching', 'TakingBack']);

/**
 * Who may deliver while a version is being delivered. The guard: while the sync goes on, and while it takes back, when it takes the
 * leases from anyone who has them. Processes of the installation: always, but for those that began while the guard does it.
 */
export class SelfPermit implements Permit {
  readonly #role: 'running' | 'guard';
  readonly #listeners = new Set<() => void>();
  #granted: boolean;
  #seizes = false;
  #expects = false;
  /** This process began while the sync went on: it is of the new version, and waits until it is its turn. */
  #isLate = false;

  constructor(role: 'running' | 'guard') {
    this.#role = role;
    this.#granted = role === 'running';
  }

  readonly granted = (): boolean => this.#granted;
  readonly seizes = (): boolean => this.#seizes;
  readonly expects = (): boolean => this.#expects;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The state that was there when the process began. */
  start(state: SelfUpdate | undefined): void {
    this.#isLate = state?.phase === 'Applying';
    this.follow(state);
  }

  /** Follows the state; `alone` if there should be a guard and is none. */
  follow(state: SelfUpdate | undefined, alone = false): void {
    const phase = state?.phase;
    const taking = phase === 'TakingBack';
    if (phase !== 'Applying') this.#isLate = false;
    // from the time at which pods are replaced until what was done is cleaned up
    this.#expects = state !== undefined && (isEnd(state.phase) ? !state.settled : handsOver.has(state.phase));
    const granted =
      this.#role === 'guard'
        ? taking || phase === 'Applying'
        : alone || !(taking || (phase === 'Applying' && this.#isLate));
    this.#seizes = this.#role === 'guard' && taking && state !== undefined && !isEnd(state.phase);
    if (granted === this.#granted) return;
    this.#granted = granted;
    for (const listener of [...this.#listeners]) listener();
  }
}
