import type { Diagnosis } from '@tiphys/diagnosis';
import { pause } from '@tiphys/kubernetes';
import type { RenderedSources } from '../sources/source-renderer.ts';
import type { Reconciliation } from './reconciliation.ts';

/** A render that goes on between passes. */
export interface GoingRender {
  /** Equal for the same sources, asked for in the same way. */
  readonly key: string;
  readonly done: Promise<RenderedSources>;
  /** When it began, in milliseconds. */
  readonly since: number;
  readonly abort: AbortController;
  /** No pass waits for it any more. */
  isLate?: boolean;
  /** What it waits for, if it does so for long. */
  waits?: Diagnosis;
}

/** The render goes on without the pass, which begins anew when it is done or waits for long. */
export class RenderGoesOn extends Error {
  readonly waits: Diagnosis | undefined;

  constructor(waits: Diagnosis | undefined) {
    super('the render goes on');
    this.waits = waits;
  }
}

/** Milliseconds that a pass waits for a render: anyone who renders for long must not hold all workers. */
const passTimeout = 1_000;

/** Whether the render is the one that a refresh of the type asked for. */
export function goesOn(going: GoingRender | undefined, requested: string): boolean {
  return going?.key.startsWith(`${requested} `) ?? false;
}

export interface GoingRenderOptions {
  /** Of the pass: its own render for each. */
  readonly step: 'refresh' | 'sync';
  readonly key: string;
  readonly render: (options: {
    readonly signal: AbortSignal;
    readonly onWait: (diagnosis: Diagnosis) => void;
  }) => Promise<RenderedSources>;
}

/** The render of the key, which is joined if it goes on already. Throws `RenderGoesOn` if it takes longer than a pass may. */
export async function renderGoing(
  work: Reconciliation,
  { step, key, render }: GoingRenderOptions,
): Promise<{ readonly rendered: RenderedSources; readonly since: number }> {
  const { memory } = work;
  if (memory.going?.[step]?.key !== key) {
    memory.going?.[step]?.abort.abort(new Error('other sources are rendered'));
    memory.going = { ...memory.going, [step]: begin(work, key, render) };
  }
  const going = memory.going?.[step] as GoingRender;
  try {
    const rendered = await soonDone(work, going);
    forget(work, step);
    return { rendered, since: going.since };
  } catch (error) {
    if (!(error instanceof RenderGoesOn)) forget(work, step);
    throw error;
  }
}

/** One for all: without a reason each abort makes an error with its stack. */
const inTime = 'in time';

async function soonDone({ key, context }: Reconciliation, going: GoingRender): Promise<RenderedSources> {
  const enough = new AbortController();
  const late = pause(context.clock, going.isLate ? 0 : passTimeout, enough.signal).then(() => 'late' as const);
  try {
    const outcome = await Promise.race([going.done, late]);
    if (outcome !== 'late') return outcome;
  } finally {
    enough.abort(inTime);
  }
  if (!going.isLate) {
    going.isLate = true;
    const look = () => context.look(key);
    going.done.then(look, look);
  }
  throw new RenderGoesOn(going.waits);
}

function begin(work: Reconciliation, key: string, render: GoingRenderOptions['render']): GoingRender {
  const { context, signal } = work;
  const abort = new AbortController();
  const waits = Promise.withResolvers<Diagnosis>();
  const done = render({ signal: AbortSignal.any([signal, abort.signal]), onWait: waits.resolve });
  const going: GoingRender = { key, abort, done, since: context.clock.now() };
  done.catch(() => undefined);
  waits.promise.then((diagnosis) => {
    going.waits = diagnosis;
    context.look(work.key);
  });
  return going;
}

function forget({ memory }: Reconciliation, step: GoingRenderOptions['step']): void {
  if (memory.going) delete memory.going[step];
}
