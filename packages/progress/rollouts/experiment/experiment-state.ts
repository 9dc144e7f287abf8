import { isCompleted } from '@tiphys/analysis';
import type {
  AnalysisPhase,
  Experiment,
  ExperimentAnalysisRun,
  ExperimentStatus,
  ExperimentTemplate,
  TemplatePhase,
  TemplateStatus,
} from '@tiphys/api';
import { goDuration } from '@tiphys/go';

/** Decisions about Experiments: pure, of the object and the time. */

export function templateStatusOf(status: ExperimentStatus | undefined, name: string): TemplateStatus | undefined {
  return status?.templateStatuses?.find((template) => template.name === name);
}

export function runStatusOf(status: ExperimentStatus | undefined, name: string): ExperimentAnalysisRun | undefined {
  return status?.analysisRuns?.find((run) => run.name === name);
}

export function isTemplateOver(phase: TemplatePhase | undefined): boolean {
  return phase === 'Successful' || phase === 'Failed' || phase === 'Error';
}

/** Whether all analyses that the experiment waits for have succeeded; false if it waits for none. */
export function haveRequiredSucceeded({ spec }: Experiment, status: ExperimentStatus | undefined): boolean {
  const needed = (spec.analyses ?? []).filter(({ requiredForCompletion }) => requiredForCompletion);
  return needed.length > 0 && needed.every(({ name }) => runStatusOf(status, name)?.phase === 'Successful');
}

export function hasRequired({ spec }: Experiment): boolean {
  return (spec.analyses ?? []).some(({ requiredForCompletion }) => requiredForCompletion);
}

/** Whether the experiment ends: somebody said so, it is over, or a part of it decides that. */
export function isEnding(experiment: Experiment): boolean {
  const { spec, status } = experiment;
  return Boolean(
    spec.terminate ||
      isCompleted(status?.phase) ||
      status?.templateStatuses?.some((template) => template.status === 'Failed' || template.status === 'Error') ||
      status?.analysisRuns?.some(({ phase }) => isCompleted(phase) && phase !== 'Successful') ||
      haveRequiredSucceeded(experiment, status),
  );
}

/** Milliseconds that are left of the duration; undefined if it has none, or has not begun. */
export function durationLeft({ spec, status }: Experiment, now: number): number | undefined {
  const duration = spec.duration ? goDuration(spec.duration) : undefined;
  if (duration === undefined || !status?.availableAt) return undefined;
  return Date.parse(status.availableAt) + duration - now;
}

export function hasPassed(experiment: Experiment, now: number): boolean {
  const left = durationLeft(experiment, now);
  return left !== undefined && left < 0;
}

/** Pods that a template is to have now. */
export function wantedReplicas(experiment: Experiment, template: ExperimentTemplate): number {
  if (isEnding(experiment)) return 0;
  if (isTemplateOver(templateStatusOf(experiment.status, template.name)?.status)) return 0;
  return template.replicas ?? 1;
}

export function deadlineSeconds({ spec }: Experiment): number {
  return spec.progressDeadlineSeconds ?? 600;
}

const templateOrder: readonly TemplatePhase[] = ['Successful', 'Running', 'Progressing', 'Error', 'Failed'];
const phaseOfTemplates: Readonly<Record<TemplatePhase, AnalysisPhase>> = {
  Successful: 'Successful',
  Running: 'Running',
  Progressing: 'Pending',
  Error: 'Error',
  Failed: 'Failed',
};

interface Assessment {
  readonly phase: AnalysisPhase;
  readonly message: string;
}

/** The worst of the templates. */
export function assessTemplates({ spec }: Experiment, status: ExperimentStatus): Assessment {
  let worst: TemplatePhase = 'Successful';
  let message = '';
  for (const { name } of spec.templates) {
    const { status: phase = 'Progressing', message: said = '' } = templateStatusOf(status, name) ?? {};
    if (templateOrder.indexOf(phase) <= templateOrder.indexOf(worst)) continue;
    worst = phase;
    message = said;
  }
  return { phase: phaseOfTemplates[worst], message };
}

const runOrder: readonly AnalysisPhase[] = ['Successful', 'Running', 'Pending', 'Inconclusive', 'Error', 'Failed'];

/** The worst of the analyses; success once the required ones have succeeded. */
export function assessRuns(experiment: Experiment, status: ExperimentStatus): Assessment {
  let worst: AnalysisPhase = 'Successful';
  let message = '';
  for (const { name } of experiment.spec.analyses ?? []) {
    const { phase = 'Pending', message: said = '' } = runStatusOf(status, name) ?? {};
    if (runOrder.indexOf(phase) <= runOrder.indexOf(worst)) continue;
    worst = phase;
    message = said;
  }
  if (haveRequiredSucceeded(experiment, status) && (worst === 'Running' || worst === 'Successful'))
    return { phase: 'Successful', message: 'Required AnalysisRuns completed' };
  return { phase: worst === 'Pending' ? 'Running' : worst, message };
}

/** Phase and message of the whole. */
export function assess(experiment: Experiment, status: ExperimentStatus): Assessment {
  const templates = assessTemplates(experiment, status);
  const runs = assessRuns(experiment, status);
  if (isCompleted(templates.phase)) {
    const decides = templates.phase === 'Successful' && (isCompleted(runs.phase) || hasRequired(experiment));
    return decides ? runs : templates;
  }
  const isBad = isCompleted(runs.phase) && runs.phase !== 'Successful';
  return isBad || haveRequiredSucceeded(experiment, status) ? runs : templates;
}
