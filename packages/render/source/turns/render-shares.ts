/** What projects may take of the threads that render. */
export interface RenderShares {
  /** Above 0; 1 where a project is not named. */
  readonly weights: ReadonlyMap<string, number>;
  /** Renders at once; `*` is for projects that are not named, which have no limit without. */
  readonly limits: ReadonlyMap<string, number>;
}

/** What a project takes of the threads that render. */
export interface RenderLoad {
  readonly project: string;
  readonly running: number;
  /** Running for long already. */
  readonly slow: number;
  readonly waiting: number;
  /** Of its renders that have ended, in milliseconds. */
  readonly spent: number;
}

export const noLimits: RenderShares = { weights: new Map(), limits: new Map() };
