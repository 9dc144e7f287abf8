import type { Permit } from '@tiphys/controller';
import type { ObjectCheck } from '@tiphys/engine';
import type { GitRepositories } from '@tiphys/git';
import type { Client, Clock, RequestRecord } from '@tiphys/kubernetes';
import type { ControllerMetrics } from '@tiphys/metrics';
import type { FoundAt, RenderLoad, SharedCache } from '@tiphys/source';
import type { ShardingOptions } from './clusters/cluster-shards.ts';
import type { Chronicle } from './reconciliation/chronicle.ts';
import type { OperationGuard } from './reconciliation/operation-guard.ts';
import type { TrustFolders } from './sources/trust-store.ts';

export interface ApplicationsOptions {
  /** Client of the cluster that holds the control plane. */
  readonly client: Client;
  /** Namespace of the control plane. */
  readonly namespace: string;
  /** Other namespaces that may hold Applications, as ARGOCD_APPLICATION_NAMESPACES; `application.namespaces` of argocd-cmd-params-cm if absent. */
  readonly applicationNamespaces?: string | undefined;
  /** As ARGOCD_GIT_MODULES_ENABLED; `reposerver.enable.git.submodule` of argocd-cmd-params-cm if absent. */
  readonly gitModulesEnabled?: string | undefined;
  /** False verifies no signatures, whatever projects say, as ARGOCD_GPG_ENABLED; true if absent. */
  readonly verifiesSignatures?: boolean;
  /** Programs that clusters may get their credentials from; TIPHYS_EXEC_PROVIDERS. */
  readonly execProviders?: readonly string[] | undefined;
  /** Which Events are written, as ARGOCD_ENABLE_K8S_EVENT; all if absent. */
  readonly enabledEvents?: string | undefined;
  readonly git: GitRepositories;
  /** Packages of charts, and what was rendered, are kept below it; only in memory if absent. */
  readonly cacheDir?: string;
  /** A Redis in which replicas share what they rendered, sealed with `server.secretkey` of argocd-secret. */
  readonly redis?: Omit<SharedCache, 'secret'> | undefined;
  /** Where the sockets of config-management plugins are, and the one of their credential helper; Argo CD's own places if absent. */
  readonly plugins?: { readonly pluginFolders?: readonly string[]; readonly askPassSocket?: string };
  /** Trusted besides the ConfigMaps, as ARGOCD_TLS_DATA_PATH and ARGOCD_SSH_DATA_PATH. */
  readonly trustFolders?: TrustFolders;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reconciles at once; 25 by default. */
  readonly workers?: number;
  /** Told of what a reconcile could not deal with itself; it is tried again. */
  readonly onError: (key: string, error: unknown) => void;
  readonly metrics?: ControllerMetrics;
  /** Told where each render was found: `rendered` if nothing was known by what it reads. */
  readonly onRender?: (found: FoundAt) => void;
  /** Given the way to ask what the projects take of the threads that render. */
  readonly onLoad?: (load: () => readonly RenderLoad[]) => void;
  /** Given the way to ask for the hosts of repositories that an administrator has registered. */
  readonly onRepositories?: (hosts: () => ReadonlySet<string>) => void;
  readonly sharding?: ShardingOptions;
  /** Who decides while the process runs whether it delivers; always if absent. */
  readonly permit?: Permit | undefined;
  /** Asked before each step of a sync. */
  readonly guard?: OperationGuard | undefined;
  /** What other families find wrong in objects of their kinds, by `group/Kind`. */
  readonly checks?: ReadonlyMap<string, ObjectCheck> | undefined;
  /** Gets every decision; nobody keeps them if absent. */
  readonly history?: Chronicle | undefined;
  /** Milliseconds between the waves of a sync, as ARGOCD_SYNC_WAVE_DELAY; `controller.sync.wave.delay.seconds` of argocd-cmd-params-cm if absent. */
  readonly syncWaveDelay?: number | undefined;
  /** False in a process that only serves: it delivers nothing, and shows what others deliver. */
  readonly delivers?: boolean;
  /** Called for each request to the clusters of cluster Secrets. */
  readonly onRequest?: (request: RequestRecord) => void;
}
