import { type ApplicationRef, request } from './client.ts';
import type { Diagnosis } from './model.ts';

/** Rollouts and Workflows, as Tiphys' own API tells them; the server's folder `families/` makes them. */

export interface RolloutSummary {
  namespace: string;
  name: string;
  strategy: 'canary' | 'blue-green' | 'none';
  phase: string;
  message: string;
  step?: { index: number; count: number };
  weight?: { desired: number; actual?: number };
  revision: string;
  current: string;
  stable: string;
  pods: { wanted: number; updated: number; available: number };
}

export interface RolloutRevision {
  name: string;
  revision: string;
  hash: string;
  roles: string[];
  images: string[];
  containers: string[];
  created: string;
  wanted: number;
  pods: number;
  ready: number;
  available: number;
}

export interface Measurement {
  phase: string;
  value: string;
  message: string;
  started: string;
  finished: string;
}

export interface AnalysisMetric {
  name: string;
  phase: string;
  message: string;
  dryRun: boolean;
  success: string;
  failure: string;
  measurements: Measurement[];
}

export interface AnalysisRun {
  name: string;
  revision: string;
  phase: string;
  message: string;
  started: string;
  metrics: AnalysisMetric[];
}

export interface Experiment {
  name: string;
  revision: string;
  phase: string;
  message: string;
  templates: { name: string; phase: string; pods: number; available: number; message: string }[];
  runs: { name: string; analysisRun: string; phase: string }[];
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Rollout extends RolloutSummary {
  steps: { kind: string; text: string; weight?: number }[];
  aborted: boolean;
  paused: boolean;
  pauses: { reason: string; since: string }[];
  conditions: Condition[];
  diagnoses: Diagnosis[];
  revisions: RolloutRevision[];
  analyses: AnalysisRun[];
  experiments: Experiment[];
  notes: string[];
  mayAct: boolean;
}

export interface WorkflowSummary {
  namespace: string;
  name: string;
  created: string;
  phase: string;
  progress: string;
  started: string;
  finished: string;
  message: string;
  uid?: string;
  labels?: Record<string, string>;
  archived?: boolean;
}

export interface WorkflowNode {
  id: string;
  name: string;
  type: string;
  template: string;
  phase: string;
  started: string;
  finished: string;
  message: string;
  children: string[];
  parent: string;
}

export interface Workflow extends WorkflowSummary {
  nodes: WorkflowNode[];
  conditions: Condition[];
  diagnoses: Diagnosis[];
  note?: string;
  suspended?: boolean;
  shutdown?: string;
  mayAct?: boolean;
}

export type RolloutVerb = 'promote' | 'promote-full' | 'abort' | 'retry' | 'restart';

/** What was read, and a sentence where that is not all. */
export interface Bounded<T> {
  items: T[];
  note?: string;
}

const root = 'api/tiphys/v1';
const of = ({ namespace, name }: ApplicationRef) => `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

export const families = {
  rollouts: () => request<Bounded<RolloutSummary>>('GET', 'rollouts', { root }),
  rollout: (ref: ApplicationRef) => request<Rollout>('GET', `rollouts/${of(ref)}`, { root }),
  act: (ref: ApplicationRef, verb: RolloutVerb) =>
    request('POST', `rollouts/${of(ref)}/${verb === 'promote-full' ? 'promote' : verb}`, {
      root,
      body: verb === 'promote-full' ? { full: true } : {},
    }),
  rollBack: (ref: ApplicationRef, revision: number) =>
    request('POST', `rollouts/${of(ref)}/undo`, { root, body: { revision } }),
  setImage: (ref: ApplicationRef, container: string, image: string) =>
    request('POST', `rollouts/${of(ref)}/image`, { root, body: { container, image } }),
};
