import type { Diagnosis, Evidence } from '@tiphys/diagnosis';
import type { Comparison } from '@tiphys/engine';
import { RenderHistory } from '../sources/render-history.ts';
import type { RenderedSources } from '../sources/source-renderer.ts';
import type { GoingRender } from './going-render.ts';

/** The last failure to render or to compare, when it began and until when it is not tried again, in milliseconds. */
export interface RememberedFailure {
  readonly diagnosis: Diagnosis;
  readonly since: number;
  readonly retryAt: number;
}

/**
 * What is remembered of an application between reconciles. All of it can be lost at any time with no change but time.
 * What happens outside is reported by the methods, so that every fact that it makes doubtful is given up together.
 */
export class ApplicationMemory {
  /** How the tracked revisions were rendered, for people. */
  readonly renders = new RenderHistory();
  comparison: Comparison | undefined;
  /** The history does not have the end of the last operation yet. */
  endIsUntold = false;
  /** True while the spec or the project do not permit the application: it has no objects then that could be shown. */
  refused = false;
  /** When a refresh was made that somebody waits to see, in milliseconds. */
  shownAt: number | undefined;
  /** When the operation began since which the destination was changed. */
  movedSince: string | undefined;
  /** Renders that take longer than a pass, by the step that wants them. */
  going: { refresh?: GoingRender; sync?: GoingRender } | undefined;
  /** The attempt of a sync whose beginning is in the history. */
  recordedAttempt: string | undefined;
  /** Which commits may have brought what is wrong, as the repository told it last. */
  commits: { readonly question: string; readonly evidence: readonly Evidence[] } | undefined;
  /** Of an application that another process delivers: the version of it that the comparison rests on. */
  observed: string | undefined;
  /** Somebody asked for a render from scratch, and this process has not made it yet. */
  hardRefresh = false;
  /** When hooks of the deletion that failed run again; undefined if none did. */
  deleteHooksRetryAt: number | undefined;
  /** When its deletion was first seen here, in milliseconds since the epoch. */
  deletionSeenAt: number | undefined;

  #rendered: RenderedSources | undefined;
  #renderedFor: string | undefined;
  #resolvedAt: number | undefined;
  #failedFor: string | undefined;
  #failure: RememberedFailure | undefined;
  #failures = 0;
  #askRemote = false;
  #sourcesSeenAt: number | undefined;
  #refreshAskedAt: number | undefined;

  /** Last successful render of the tracked revisions. */
  get rendered(): RenderedSources | undefined {
    return this.#rendered;
  }

  /** When the revision was last resolved, in milliseconds; undefined if it must be resolved anew. */
  get resolvedAt(): number | undefined {
    return this.#resolvedAt;
  }

  /** Failure of the last attempt; undefined after a success. */
  get failure(): RememberedFailure | undefined {
    return this.#failure;
  }

  /** Consecutive failures to resolve or render. */
  get failures(): number {
    return this.#failures;
  }

  /** The remote itself must be asked: somebody wants to know, or the last attempt failed. */
  get askRemote(): boolean {
    return this.#askRemote;
  }

  /** When the sources were first seen as they are, in milliseconds: their author knows the repository as it is then. */
  get sourcesSeenAt(): number | undefined {
    return this.#sourcesSeenAt;
  }

  /** When a refresh was asked for, in milliseconds: what is known of the repository since then answers it. */
  get refreshAskedAt(): number | undefined {
    return this.#refreshAskedAt;
  }

  /** Whether the last render was asked for by `wanted`, a digest of the spec, and its revision need not be resolved anew. */
  isRenderedFor(wanted: string): boolean {
    return this.#rendered !== undefined && this.#resolvedAt !== undefined && this.#renderedFor === wanted;
  }

  /** The failure of `wanted` that need not be tried again at `now`. */
  heldFailure(wanted: string, now: number): RememberedFailure | undefined {
    return this.#failedFor === wanted && this.#failure && now < this.#failure.retryAt ? this.#failure : undefined;
  }

  /** A ref, a setting, a credential, a cluster or a project has changed: revisions are resolved anew, and what failed is tried at once. */
  surroundingsChanged(options: { readonly askRemote?: boolean } = {}): void {
    this.#resolvedAt = undefined;
    this.#failedFor = undefined;
    if (options.askRemote) this.#askRemote = true;
  }

  /** The project permits other things now: what failed is tried at once; the revisions stay. */
  permissionsChanged(): void {
    this.#failedFor = undefined;
  }

  /** What was rendered may be of yesterday: the revision is resolved anew, by the remote itself if `askRemote`. A failure is waited out. */
  outdated(options: { readonly askRemote?: boolean } = {}): void {
    this.#resolvedAt = undefined;
    if (options.askRemote) this.#askRemote = true;
  }

  /** The sources are others than before, or seen for the first time. */
  sourcesChanged(now: number): void {
    this.#sourcesSeenAt = now;
  }

  /** The annotation that asks for a refresh has been set. */
  refreshAsked(now: number): void {
    this.#refreshAskedAt = now;
  }

  /** A refresh begins that somebody asked for: the remote is asked, and no failure stands in the way. */
  refreshBegins(): void {
    this.outdated({ askRemote: true });
    this.#failure = undefined;
  }

  /** An attempt to render for `wanted` begins at `now`; what changes meanwhile makes it outdated again. Returns whether the remote must be asked. */
  attemptBegins(wanted: string, now: number): boolean {
    const { askRemote } = this;
    this.#failedFor = wanted;
    // A render that goes on was begun before: what changed since then must not be taken for resolved.
    if (!this.going?.refresh) {
      this.#resolvedAt = now;
      this.#askRemote = false;
    }
    return askRemote;
  }

  /** The attempt for `wanted` has made `rendered`. */
  attemptSucceeded(wanted: string, rendered: RenderedSources): void {
    this.#rendered = rendered;
    this.#renderedFor = wanted;
    this.#failedFor = undefined;
  }

  /** What was rendered elsewhere for `wanted` was rendered here too, at `now`. */
  followed(wanted: string, rendered: RenderedSources, now: number): void {
    this.attemptSucceeded(wanted, rendered);
    this.#resolvedAt = now;
  }

  /** Values that it holds were thrown away: nothing that was rendered is good any more. */
  forgetRendered(): void {
    this.#rendered = undefined;
    this.#resolvedAt = undefined;
  }

  /** A comparison could be made. */
  succeeded(comparison: Comparison): void {
    this.comparison = comparison;
    this.#failure = undefined;
    this.#failures = 0;
  }

  /** The attempt has failed; `retryAt` says when it is worth another one. A failure that goes on keeps its beginning. */
  failed(diagnosis: Diagnosis, options: { readonly now: number; readonly retryAt: number }): void {
    this.#failure = { diagnosis, since: this.#failure?.since ?? options.now, retryAt: options.retryAt };
    this.#resolvedAt = undefined;
  }

  /** The failure is a new one, not the last one held: returns how many there were in a row. */
  countFailure(): number {
    this.#failures += 1;
    return this.#failures;
  }
}
