import { noLimits, type RenderLoad, type RenderShares } from './render-shares.ts';
import { WaitingRenders } from './waiting-renders.ts';

/** Who wants a thread, and for what. */
export interface RenderCaller {
  readonly project: string;
  /** Equal for renders that cost alike, such as those of one application. */
  readonly work: string;
}

/** The right to use a thread. */
export interface Turn {
  /** Gives it back. */
  end(): void;
}

export interface TurnOptions {
  /** Told when the turn is taken back for somebody else: the work ends at once, and asks for another turn. */
  readonly onTaken: () => void;
  readonly signal?: AbortSignal;
  /** Told once if the turn does not come soon, with the renders that it waits for, by project. */
  readonly onWait?: (ahead: ReadonlyMap<string, number>) => void;
}

export interface RenderTurnsOptions {
  /** Renders at once, without the one place that is kept for a project that has nothing running. */
  readonly threads: number;
  /** Milliseconds after which a render is slow. */
  readonly slowAfter: number;
  /** Milliseconds of waiting that are told. */
  readonly tellAfter: number;
  /** Milliseconds, from any beginning; `performance.now` if absent. */
  readonly now?: () => number;
  readonly shares?: () => RenderShares;
}

type Lane = 'common' | 'reserve' | 'slow';

interface Running {
  readonly caller: RenderCaller;
  readonly since: number;
  lane: Lane;
  isSlow: boolean;
  readonly taken: () => void;
  readonly timer: NodeJS.Timeout;
}

interface Waiting {
  readonly caller: RenderCaller;
  readonly isSlow: boolean;
  readonly start: (lane: Lane) => void;
}

const maxKnown = 5_000;

/**
 * Shares a few threads between projects: the one that has used least, by its weight, comes first. A render that takes long is
 * slow: when somebody waits it goes on in a lane of its own or, where that is full and another project waits, gives its turn back.
 * What was slow before begins in that lane. One place is kept for projects that have nothing running.
 */
export class RenderTurns {
  readonly #options: RenderTurnsOptions;
  readonly #now: () => number;
  readonly #running = new Set<Running>();
  readonly #waiting = new WaitingRenders<Waiting>();
  /** Milliseconds that a project has used, divided by its weight; compared between those that are active. */
  readonly #used = new Map<string, number>();
  readonly #spent = new Map<string, number>();
  readonly #slow = new Set<string>();

  constructor(options: RenderTurnsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Resolves when a thread may be used. Rejects with the signal's reason. */
  async take(caller: RenderCaller, { signal, onWait, onTaken }: TurnOptions): Promise<Turn> {
    signal?.throwIfAborted();
    this.#enter(caller.project);
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const waiting: Waiting = {
      caller,
      isSlow: this.#slow.has(workOf(caller)),
      start: (lane) => resolve(this.#start(waiting, lane, onTaken)),
    };
    this.#waiting.add(waiting);
    this.#advance();
    const leave = () => this.#waiting.delete(waiting) && reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    const timer = onWait && setTimeout(() => onWait(this.#ahead()), this.#options.tellAfter);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** What each project takes, of those that have taken something. */
  load(): RenderLoad[] {
    const running = [...this.#running];
    const projects = new Set([...this.#spent.keys(), ...running.map(({ caller }) => caller.project)]);
    return [...projects.union(this.#waiting.projects)].map((project) => {
      const own = running.filter(({ caller }) => caller.project === project);
      return {
        project,
        running: own.filter(({ isSlow }) => !isSlow).length,
        slow: own.filter(({ isSlow }) => isSlow).length,
        waiting: this.#waiting.of(project),
        spent: this.#spent.get(project) ?? 0,
      };
    });
  }

  #ahead(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { caller } of this.#running) counts.set(caller.project, (counts.get(caller.project) ?? 0) + 1);
    return counts;
  }

  #start({ caller, isSlow }: Waiting, lane: Lane, taken: () => void): Turn {
    const onSlow = () => {
      running.isSlow = true;
      this.#advance();
    };
    const timer = setTimeout(onSlow, this.#options.slowAfter).unref();
    const running: Running = { caller, lane, isSlow, taken, since: this.#now(), timer };
    this.#running.add(running);
    return { end: () => this.#end(running) };
  }

  #end(running: Running): void {
    if (!this.#leave(running)) return;
    const { caller, since, isSlow } = running;
    this.#slow.delete(workOf(caller));
    // with room for the noise of a busy machine
    if (isSlow && this.#now() - since >= this.#options.slowAfter / 2) this.#slow.add(workOf(caller));
    const [oldest] = this.#slow;
    if (this.#slow.size > maxKnown && oldest !== undefined) this.#slow.delete(oldest);
    this.#advance();
  }

  /** False if it has left already. */
  #leave(running: Running): boolean {
    if (!this.#running.delete(running)) return false;
    clearTimeout(running.timer);
    const { project } = running.caller;
    this.#used.set(project, (this.#used.get(project) ?? 0) + this.#cost(running));
    this.#spent.set(project, (this.#spent.get(project) ?? 0) + this.#now() - running.since);
    return true;
  }

  /** A project that had nothing to do is not owed for that. */
  #enter(project: string): void {
    const active = this.#waiting.projects.union(new Set([...this.#running].map(({ caller }) => caller.project)));
    if (active.size === 0) this.#used.clear();
    if (active.size === 0 || active.has(project)) return;
    const least = Math.min(...[...active].map((one) => this.#share(one)));
    this.#used.set(project, Math.max(this.#used.get(project) ?? 0, least));
  }

  #cost({ caller, since }: Running): number {
    return (this.#now() - since) / (this.#shares().weights.get(caller.project) ?? 1);
  }

  #share(project: string): number {
    let share = this.#used.get(project) ?? 0;
    for (const running of this.#running) if (running.caller.project === project) share += this.#cost(running);
    return share;
  }

  #shares(): RenderShares {
    return this.#options.shares?.() ?? noLimits;
  }

  /** Starts whatever may run now. */
  #advance(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next.waiting);
      next.waiting.start(next.lane);
    }
  }

  #next(): { readonly waiting: Waiting; readonly lane: Lane } | undefined {
    const shares = new Map([...this.#waiting.projects].map((project) => [project, this.#share(project)]));
    const order = (a: string, b: string) => (shares.get(a) ?? 0) - (shares.get(b) ?? 0);
    for (const waiting of this.#waiting.heads(order)) {
      const lane = this.#laneFor(waiting);
      if (lane) return { waiting, lane };
    }
    return undefined;
  }

  #laneFor({ caller: { project }, isSlow }: Waiting): Lane | undefined {
    const own = [...this.#running].filter(({ caller }) => caller.project === project).length;
    const { limits } = this.#shares();
    if (own >= (limits.get(project) ?? limits.get('*') ?? Number.POSITIVE_INFINITY)) return undefined;
    if (isSlow && this.#free('slow') > 0) return 'slow';
    if (this.#free('common') > 0) return 'common';
    if (own === 0 && this.#free('reserve') > 0) return 'reserve';
    return isSlow ? undefined : this.#makeRoom(project, own);
  }

  /** The place of a slow render: that moves to the lane of those, or where it is full gives way to another project. */
  #makeRoom(project: string, own: number): Lane | undefined {
    const open = (lane: Lane) => lane === 'common' || (lane === 'reserve' && own === 0);
    const slow = [...this.#running].filter(({ isSlow, lane }) => isSlow && open(lane));
    const others = slow.filter(({ caller }) => caller.project !== project);
    const moves = this.#free('slow') > 0;
    const [first] = (moves ? slow : others).sort(
      (a, b) => this.#share(b.caller.project) - this.#share(a.caller.project) || b.since - a.since,
    );
    if (!first) return undefined;
    const { lane } = first;
    if (moves) first.lane = 'slow';
    else {
      this.#slow.add(workOf(first.caller));
      this.#leave(first);
      first.taken();
    }
    return lane;
  }

  #free(lane: Lane): number {
    const { threads } = this.#options;
    const places = { common: threads, reserve: 1, slow: Math.max(1, threads - 1) }[lane];
    return places - [...this.#running].filter((running) => running.lane === lane).length;
  }
}

function workOf({ project, work }: RenderCaller): string {
  return JSON.stringify([project, work]);
}
