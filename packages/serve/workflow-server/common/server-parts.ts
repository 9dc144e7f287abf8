import type { Client, Clock } from '@tiphys/kubernetes';
import type { Log } from '@tiphys/server';
import type { OffloadedNodes, SyncLimits, WorkflowArchive } from '@tiphys/workflow-database';
import type { Packing } from '@tiphys/workflows';
import type { FlowSettings } from './settings.ts';

/** What the services share. */
export interface ServerParts {
  /** With the rights of the server itself. */
  readonly own: Client;
  /** Of the server and its ConfigMap. */
  readonly namespace: string;
  /** Only this one is served; all if absent. */
  readonly managedNamespace: string | undefined;
  /** As they are now: `instanceId`, `persistence`, `synchronization` and `sso` are those of the start. */
  readonly settings: FlowSettings;
  /** Absent where no database is set. */
  readonly archive: WorkflowArchive | undefined;
  readonly nodes: OffloadedNodes | undefined;
  readonly limits: SyncLimits | undefined;
  /** How nodes are packed that are too large for the API server. */
  readonly packing: Packing;
  /** What becomes of what belongs to a workflow that is deleted. */
  readonly deletePropagation: 'Background' | 'Foreground' | 'Orphan';
  readonly clock: Clock;
  readonly log: Log;
  /** Of Tiphys. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
