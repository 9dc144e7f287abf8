import type { CanaryStep } from '@tiphys/api';

/** A step of a canary for people; `weight` where it sets one. */
export interface ShownStep {
  readonly kind: string;
  readonly text: string;
  readonly weight?: number;
}

/** Configurations of plugins and arguments of analyses stay out: they may hold what not everybody is to read. */
export function shownStep(step: CanaryStep): ShownStep {
  const { setWeight, pause, analysis, experiment, setCanaryScale, setHeaderRoute, setMirrorRoute, plugin } = step;
  if (setWeight !== undefined) return { kind: 'setWeight', text: `Weight ${setWeight} %`, weight: setWeight };
  if (pause) return { kind: 'pause', text: pause.duration === undefined ? 'Pause until promoted' : pauseWords(pause) };
  if (analysis)
    return { kind: 'analysis', text: listed('Analysis', analysis.templates, ({ templateName }) => templateName) };
  if (experiment) return { kind: 'experiment', text: listed('Experiment', experiment.templates, ({ name }) => name) };
  if (setCanaryScale) return { kind: 'setCanaryScale', text: scaleWords(setCanaryScale) };
  if (setHeaderRoute) return { kind: 'setHeaderRoute', text: `Header route ${setHeaderRoute.name ?? ''}`.trim() };
  if (setMirrorRoute)
    return {
      kind: 'setMirrorRoute',
      text: `Mirror ${setMirrorRoute.percentage ?? 100} % by route ${setMirrorRoute.name}`,
    };
  return plugin ? { kind: 'plugin', text: `Plugin ${plugin.name}` } : { kind: 'unknown', text: 'Unknown step' };
}

function pauseWords({ duration }: NonNullable<CanaryStep['pause']>): string {
  const isSeconds = typeof duration === 'number' || /^\d{1,10}$/.test(duration ?? '');
  return `Pause ${duration}${isSeconds ? ' s' : ''}`;
}

function scaleWords({ weight, replicas, matchTrafficWeight }: NonNullable<CanaryStep['setCanaryScale']>): string {
  if (matchTrafficWeight) return 'Canary as large as its weight';
  return replicas === undefined ? `Canary of ${weight ?? 0} % of the pods` : `Canary of ${replicas} pods`;
}

function listed<T>(title: string, items: readonly T[] | undefined, of: (item: T) => string | undefined): string {
  return `${title} ${(items ?? []).map((item) => of(item) ?? '?').join(', ')}`.trim();
}
