import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type * from './generated/kinds.ts';
export * as names from './names.ts';

export interface Definition {
  readonly file: string;
  readonly text: string;
}

const crdFiles = ['applications.yaml', 'appprojects.yaml', 'applicationsets.yaml'] as const;
const rolloutsCrdFiles = [
  'rollouts.yaml',
  'analysistemplates.yaml',
  'clusteranalysistemplates.yaml',
  'analysisruns.yaml',
  'experiments.yaml',
] as const;

const eventsCrdFiles = ['eventbus.yaml', 'eventsources.yaml', 'sensors.yaml'] as const;
const workflowsCrdFiles = [
  'workflows.yaml',
  'workflowtemplates.yaml',
  'clusterworkflowtemplates.yaml',
  'cronworkflows.yaml',
  'workfloweventbindings.yaml',
  'workflowtasksets.yaml',
  'workflowtaskresults.yaml',
  'workflowartifactgctasks.yaml',
] as const;

/** The CustomResourceDefinitions as YAML, one document each, to be applied server-side (they are too big for client-side apply). */
export function customResourceDefinitions(): Definition[] {
  return crdFiles.map(definition);
}

/** Those of Rollouts: the same as `customResourceDefinitions`, for Rollout, Experiment and the Analysis kinds. */
export function rolloutsDefinitions(): Definition[] {
  return rolloutsCrdFiles.map(definition);
}

/** Those of Events: EventBus, EventSource, Sensor. As upstream's they have no schema: the controllers check. */
export function eventsDefinitions(): Definition[] {
  return eventsCrdFiles.map(definition);
}

/** Those of Workflows: the same for Workflow, its templates, CronWorkflow, and what controller and executor tell each other. */
export function workflowsDefinitions(): Definition[] {
  return workflowsCrdFiles.map(definition);
}

function definition(file: string): Definition {
  return { file, text: readFileSync(join(import.meta.dirname, 'crds', file), 'utf8') };
}
