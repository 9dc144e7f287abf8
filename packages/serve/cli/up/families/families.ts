import { join } from 'node:path';
import type { ApplicationInformer, Backend } from '@tiphys/applications';
import type { FamilyOptions, Runtime } from '@tiphys/controller';
import type { GitRepositories } from '@tiphys/git';
import type { ClusterConfig } from '@tiphys/kubernetes';
import type { Log } from '@tiphys/server';

/** What a family can use beyond the options that all controllers have. */
export interface FamilyContext extends FamilyOptions {
  readonly git: GitRepositories;
  /** How the cluster of the control plane is reached. */
  readonly config: ClusterConfig;
  readonly log: Log;
  /** Folder of the process for what may be lost. */
  readonly scratch: string;
  /** Folder that is kept between starts; absent if the user named none. */
  readonly dataDir?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The cluster is the sandbox of this process. */
  readonly sandbox: boolean;
  /** Pods of the sandbox only pretend to run. */
  readonly simulated: boolean;
  /** Address that this process listens on. */
  readonly host: string;
  /** The process runs this family and nothing else. */
  readonly alone: boolean;
  /** Of the applications, where this process has them: not in a process that runs the family alone. */
  readonly backend?: Backend | undefined;
  /** The Applications as this process follows them anyway: where `backend` is. */
  readonly applications?: ApplicationInformer | undefined;
}

export interface MetricsSettings {
  readonly enabled: boolean;
  readonly port: number;
  readonly path: string;
  /** TLS with a certificate of the process' own. */
  readonly secure: boolean;
}

/** A family of controllers beside Argo CD's core. */
export interface Family {
  /** What the start says of it. */
  readonly title: string;
  /** Argo's names of the process that it replaces, as ARGOCD_BINARY_NAME or the first argument has them. */
  readonly binaries: readonly string[];
  /** Port of its metrics where it runs alone, as upstream's. */
  readonly metricsPort: number;
  /** Port that tells its health alone, without TLS, where that of the metrics may speak TLS or be off; as upstream's. */
  readonly healthPort?: number;
  /** Where the family's own settings say that its metrics are served; plain `/metrics` on `metricsPort` if absent. */
  readonly metrics?: (context: Pick<FamilyContext, 'client' | 'namespace'>) => Promise<MetricsSettings>;
  /** Part of whatever delivers Applications: started on its own only where a process has this role alone. */
  readonly withApplications?: boolean;
  /** Works on Applications: its process sees to it that their definitions, settings and default project are there. */
  readonly ofApplications?: boolean;
  readonly start: (context: FamilyContext) => Promise<Runtime>;
}

/** The families, by the name of their role. Each is loaded only when it is started. */
export const families: Readonly<Record<string, Family>> = {
  applicationsets: {
    title: 'ApplicationSets',
    binaries: ['argocd-applicationset-controller'],
    metricsPort: 8080,
    withApplications: true,
    ofApplications: true,
    start: async (context) => (await import('./applicationsets-alone.ts')).startApplicationSetsAlone(context),
  },
  events: {
    title: 'Events',
    binaries: ['events-controller', 'argo-events'],
    metricsPort: 7777,
    start: async (context) => (await import('@tiphys/events')).startEvents(context),
  },
  notifications: {
    title: 'Notifications',
    binaries: ['argocd-notifications', 'argocd-notifications-controller'],
    metricsPort: 9001,
    ofApplications: true,
    start: async (context) => (await import('./notifications-family.ts')).startApplicationNotifications(context),
  },
  rollouts: {
    title: 'Rollouts',
    binaries: ['rollouts-controller', 'argo-rollouts'],
    metricsPort: 8090,
    start: async (context) => (await import('./rollouts-family.ts')).startRollouts(context),
  },
  workflows: {
    title: 'Workflows',
    binaries: ['workflow-controller'],
    metricsPort: 9090,
    healthPort: 6060,
    metrics: async (context) => (await import('@tiphys/workflows')).readMetricsSettings(context),
    start: async (context) => (await import('./workflows-family.ts')).startWorkflows(context),
  },
  'workflows-server': {
    title: "Argo Workflows' API",
    binaries: ['argo-server'],
    metricsPort: 2747,
    start: async (context) => (await import('./workflow-server-family.ts')).startWorkflowServerFamily(context),
  },
};

/** On a laptop finished workflows are kept in a file beside the sandbox. */
export function archiveFile({ sandbox, dataDir, scratch }: FamilyContext): string | undefined {
  return sandbox ? join(dataDir ?? scratch, 'workflows.db') : undefined;
}

/** Where artifacts of workflows are kept whose pods are processes of this machine; undefined for other pods. */
export function artifactsFolder({ sandbox, simulated, dataDir, scratch }: FamilyContext): string | undefined {
  return sandbox && !simulated ? join(dataDir ?? scratch, 'workflow-artifacts') : undefined;
}
