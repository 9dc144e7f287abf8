import type { AnalysisMetric, Rollout, RolloutRevision, RolloutSummary, RolloutVerb } from '../api/families.ts';
import { t } from '../i18n/texts.ts';

/** `3 / 8`, of the steps that are done; empty without steps. */
export function stepWords({ step }: Pick<RolloutSummary, 'step'>): string {
  return step ? `${Math.min(step.index, step.count)} / ${step.count}` : '';
}

/** `20 %`, with what the router was told where that differs; empty while nothing is updated. */
export function weightWords({ weight }: Pick<RolloutSummary, 'weight'>): string {
  if (!weight) return '';
  const { desired, actual } = weight;
  return actual === undefined || actual === desired
    ? `${desired} %`
    : t('{actual} % of {desired} %', { actual, desired });
}

/** True while pods of a revision that is not the stable one are wanted. */
export function isUpdating({ current, stable }: Pick<RolloutSummary, 'current' | 'stable'>): boolean {
  return stable !== '' && current !== stable;
}

export type StepState = 'done' | 'current' | 'next';

/** What has become of the step at `index`. */
export function stepState({ step, aborted }: Pick<Rollout, 'step' | 'aborted'>, index: number): StepState {
  const at = step?.index ?? 0;
  if (index < at) return 'done';
  return index === at && !aborted ? 'current' : 'next';
}

export interface VerbOffer {
  readonly verb: RolloutVerb;
  readonly title: string;
  /** What will happen, for the confirmation. */
  readonly effect: string;
  readonly dangerous?: boolean;
  /** Why it cannot be done now. */
  readonly refusal?: string;
}

export const denied = () => t('Needs the right clusters, update, * in argocd-rbac-cm');

/** What can be done to a Rollout, and why not where it cannot. */
export function offersOf(rollout: Rollout): VerbOffer[] {
  const { name, mayAct, aborted } = rollout;
  const updating = isUpdating(rollout);
  const offer = (given: Omit<VerbOffer, 'refusal'>, refusal: string | undefined): VerbOffer => {
    const why = mayAct ? refusal : denied();
    return why ? { ...given, refusal: why } : given;
  };
  const stopped = aborted ? t('The update is aborted: retry it first') : undefined;
  const idle = updating ? undefined : t('No update is under way');
  const goesOn = rollout.paused || rollout.pauses.length > 0 ? undefined : (stopped ?? idle);
  return [
    offer({ verb: 'promote', title: t('Promote'), effect: promotion(rollout) }, goesOn),
    offer(
      {
        verb: 'promote-full',
        title: t('Promote fully'),
        effect: t(
          'All steps, pauses and analyses that are left of {name} are skipped: its new revision becomes the stable one at once.',
          { name },
        ),
        dangerous: true,
      },
      stopped ?? idle,
    ),
    offer(
      {
        verb: 'abort',
        title: t('Abort'),
        effect: t(
          'The update of {name} ends: traffic and pods go back to the stable revision, and the Rollout is Degraded until it is retried or its template is put back.',
          { name },
        ),
        dangerous: true,
      },
      aborted ? t('The update is aborted already') : idle,
    ),
    offer(
      {
        verb: 'retry',
        title: t('Retry'),
        effect: t('The update of {name} that was aborted begins again at its first step.', { name }),
      },
      aborted ? undefined : t('No update was aborted'),
    ),
    offer(
      {
        verb: 'restart',
        title: t('Restart'),
        effect: t(
          'All pods of {name} are replaced by new ones of the same revisions, a few at a time, as its maxUnavailable allows.',
          { name },
        ),
      },
      undefined,
    ),
  ];
}

/** The revisions that a Rollout can go back to, the newest first. */
export function earlierRevisions({ revisions, current }: Rollout): RolloutRevision[] {
  return revisions.filter(({ hash }) => hash !== current);
}

/** What going back to a revision does. */
export function rollBackEffect({ name, stable }: Rollout, { revision, hash, images }: RolloutRevision): string {
  const then =
    hash === stable
      ? t('It is the stable one: the update under way ends without its steps.')
      : t('An update begins, with all its steps, pauses and analyses, unless spec.rollbackWindow has it.');
  const what = t('The template of {name} becomes that of revision {revision} ({images}) again.', {
    name,
    revision,
    images: images.join(', '),
  });
  return `${what} ${then} ${fromGit()}`;
}

/** What another image does. */
export function imageEffect({ name }: Rollout, container: string, image: string): string {
  const what = t(
    'Container {container} of {name} gets {image}: an update begins, with all its steps, pauses and analyses.',
    { container, name, image: image || t('the image') },
  );
  return `${what} ${fromGit()}`;
}

const fromGit = () =>
  t('Where an Application delivers it, its next sync puts back what Git has: take the change there, too.');

function promotion({ name, strategy, steps, step, pauses, paused }: Rollout): string {
  if (strategy === 'blue-green') return t('The active Service of {name} is switched to the new revision.', { name });
  const at = steps[step?.index ?? 0];
  const next = steps[(step?.index ?? 0) + 1];
  const then = ` ${next ? t('Next step: {step}.', { step: next.text }) : t('It was the last step: the new revision becomes the stable one.')}`;
  if (pauses.length > 0) return `${t('The pause of {name} ends, and its update goes on.', { name })}${at ? then : ''}`;
  if (paused) return t('{name} is resumed.', { name });
  if (!at) return t('The update of {name} goes on.', { name });
  return `${t('The step at hand of {name} ({step}) is skipped.', { name, step: at.text })}${then}`;
}

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  readonly phase: string;
  readonly title: string;
}

/** A number that a condition compares what is measured with. */
export interface PlotLimit {
  readonly y: number;
  readonly value: number;
  readonly of: 'success' | 'failure';
}

export interface Plot {
  readonly points: readonly PlotPoint[];
  readonly limits: readonly PlotLimit[];
  /** What is at the bottom and the top; empty if no measurement is a number. */
  readonly low: string;
  readonly high: string;
}

interface Frame {
  readonly width: number;
  readonly height: number;
}

/** Where the measurements of a metric are drawn, oldest first; those without a number are on the middle line. */
export function plotOf(
  { measurements, success = '', failure = '' }: Pick<AnalysisMetric, 'measurements'> & Partial<AnalysisMetric>,
  { width, height }: Frame,
): Plot {
  const values = measurements.map(({ value }) => numberOf(value));
  const measured = values.filter((value) => value !== undefined);
  const limits = measured.length > 0 ? [...limitsOf(success, 'success'), ...limitsOf(failure, 'failure')] : [];
  const known = [...measured, ...limits.map(({ value }) => value)];
  const low = known.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = known.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const range = high - low;
  const pad = 8;
  const heightOf = (value: number | undefined) =>
    height - pad - (value === undefined || range === 0 ? 0.5 : (value - low) / range) * (height - 2 * pad);
  const points = measurements.map(({ phase, value, message, started }, index) => {
    const along = measurements.length === 1 ? 0.5 : index / (measurements.length - 1);
    return {
      x: pad + along * (width - 2 * pad),
      y: heightOf(values[index]),
      phase,
      title: [phase, value, message, started].filter(Boolean).join(' · '),
    };
  });
  const drawn = limits.map((limit) => ({ ...limit, y: heightOf(limit.value) }));
  return { points, limits: drawn, low: known.length > 0 ? short(low) : '', high: known.length > 0 ? short(high) : '' };
}

const comparison =
  /(?:as(?:Float|Int)\(result(?:\[0\])?\)|(?<![\w.]|\w\()result(?:\[0\])?) ?(?:<=|>=|==|<|>) ?(-?\d{1,15}(?:\.\d{1,15})?(?:e-?\d{1,3})?)(?![\w.])/g;

/** The numbers that a condition compares `result` or its first element with. */
function limitsOf(condition: string, of: PlotLimit['of']): Omit<PlotLimit, 'y'>[] {
  const numbers = [...condition.matchAll(comparison)].map(([, number]) => Number(number));
  return [...new Set(numbers)].map((value) => ({ value, of }));
}

/** The number of a measurement: itself, or the only one of a list; undefined for anything else. */
function numberOf(value: string): number | undefined {
  const text = /^\[(.{1,100})\]$/.exec(value)?.[1] ?? value;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
