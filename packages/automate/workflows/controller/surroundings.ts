import type { Diagnosis } from '@tiphys/diagnosis';
import type { Client, Clock, Informer } from '@tiphys/kubernetes';
import type { LockTable } from '../locks/lock-table.ts';
import type { Workflow, WorkflowTaskResult, WorkflowTaskSet, WorkflowTemplate } from '../model/types.ts';
import type { ImageCommands } from './containers/image-commands.ts';
import type { PodCleanup } from './containers/pod-cleanup.ts';
import type { PodObject } from './containers/pod-object.ts';
import type { KeptByWorkflow } from './kept-by-workflow.ts';
import type { RateLimit } from './limits/rate-limit.ts';
import type { SharedLocks } from './limits/shared-locks.ts';
import type { Throttle } from './limits/throttle.ts';
import type { WorkflowMeasures } from './measures/workflow-measures.ts';
import type { WorkflowPersistence } from './persistence/persistence.ts';
import type { ControllerSettings } from './settings/controller-settings.ts';

/** What passes over workflows share. */
export interface Surroundings {
  readonly client: Client;
  readonly clock: Clock;
  /** Where the controller and its ConfigMap are. */
  readonly namespace: string;
  /** Tells whoever runs the controller what is wrong around it. */
  readonly report: (problem: Diagnosis) => void;
  readonly settings: () => ControllerSettings;
  readonly pods: KeptByWorkflow<PodObject>;
  readonly taskResults: KeptByWorkflow<WorkflowTaskResult>;
  readonly taskSets: Informer<WorkflowTaskSet>;
  readonly templates: Informer<WorkflowTemplate>;
  readonly clusterTemplates: Informer<WorkflowTemplate>;
  readonly workflows: { list(): Iterable<Workflow> };
  readonly locks: LockTable;
  /** Those of a database, if one is set. */
  readonly sharedLocks: SharedLocks | undefined;
  readonly throttle: Throttle;
  readonly images: ImageCommands;
  readonly cleanup: PodCleanup;
  readonly rateLimit: RateLimit;
  readonly persistence: WorkflowPersistence;
  readonly measures: WorkflowMeasures | undefined;
}
