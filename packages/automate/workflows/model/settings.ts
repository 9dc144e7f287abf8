import type { ArtifactRepository, Container, Workflow } from './types.ts';

/** What the ConfigMap `workflow-controller-configmap` and the environment say, as far as decisions read it. */
export interface MachineSettings {
  readonly instanceId?: string;
  readonly workflowDefaults?: Partial<Pick<Workflow, 'metadata' | 'spec'>>;
  readonly templateReferencing?: 'Strict' | 'Secure';
  readonly artifactRepository?: ArtifactRepository;
  readonly mainContainer?: Container;
  readonly executor?: Container;
  readonly executorImage: string;
  readonly executorImagePullPolicy?: string;
  /** Commands of images that do not say theirs, by reference. */
  readonly images?: Readonly<Record<string, { entrypoint?: string[]; cmd?: string[] }>>;
  /** Artifact plugins, by the name that artifacts have. */
  readonly artifactDrivers?: readonly { readonly name: string; readonly image: string }[];
  readonly kubeConfig?: { secretName: string; secretKey: string; volumeName?: string; mountPath?: string };
  readonly failedPodRestart?: { enabled?: boolean; maxRestarts?: number };
  /** Milliseconds. */
  readonly podGCDeleteDelay?: number;
  readonly podGCGracePeriodSeconds?: number;
  readonly sendWorkflowEvents?: boolean;
  readonly sendNodeEvents?: boolean;
  /** Events of nodes are those of their pods. */
  readonly sendNodeEventsAsPod?: boolean;
  readonly archives?: boolean;
  readonly podStatusFinalizer?: boolean;
  /** As a Go duration. */
  readonly progressPatchTick?: string;
  readonly progressFileTick?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly retryHostLabel?: string;
  /** Patterns (RE2) of messages that mean a passing error, besides those known. */
  readonly transientErrorPattern?: string;
  /** How long a pod may be absent after its node began before the node counts as lost; milliseconds. */
  readonly podAbsenceGrace?: number;
  /** How long a pod that succeeded may be without the report of its executor; milliseconds. */
  readonly taskResultTimeout?: number;
  /** How the executor is started in its own image; `argoexec`. */
  readonly executorCommand?: readonly string[];
  /** How the user's commands are started in theirs; `/var/run/argo/argoexec emissary`. */
  readonly emissaryCommand?: readonly string[];
  /** False where pods only pretend to run and the user's command must be seen as it is. */
  readonly wrapsCommands?: boolean;
  /** True where containers have no file system of their own: then each pod has a `/tmp` of its own. */
  readonly ownTemporary?: boolean;
  /** How pods of workflows are named that do not say it; v2 if absent. */
  readonly podNameFormat?: 'v1' | 'v2';
  /** Whether no artifacts are deleted, whatever workflows say. */
  readonly keepsArtifacts?: boolean;
  /** Fields of a spec that workflows may set besides those known, where `templateReferencing` restricts them to templates. */
  readonly userOverrides?: readonly string[];
  /** Levels of templates in templates. */
  readonly maxDepth?: number;
  /** Whether the executor is root, as in upstream's image, in pods that nobody says a user of. */
  readonly executorAsRoot?: boolean;
  readonly agentDisabled?: boolean;
  /** Whether ConfigMaps may name plugins that run beside agents. */
  readonly executorPlugins?: boolean;
  /** Whether workflows may. */
  readonly workflowLevelExecutorPlugins?: boolean;
  /** Quantities, and how often an agent reports; upstream's if absent. */
  readonly agent?: { readonly cpuLimit?: string; readonly memoryLimit?: string; readonly patchRate?: string };
}
