import type { Application, SyncOperation } from '@tiphys/api';
import type {
  AccessRequest,
  ClusterState,
  RenderAccount,
  SignatureAccount,
  SourceBranch,
  SourceFile,
  SourceRequest,
} from '@tiphys/applications';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { ActionEffect, ActionInfo, ComparedResource, Host, PlanRow, SyncCode, TreeNode } from '@tiphys/engine';
import type { Credentials, GitTree } from '@tiphys/git';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { FieldOrigin, SourceDetails, WantedObject, WrittenField } from '@tiphys/source';

/** Names an Application in the control-plane cluster. */
export interface ApplicationRef {
  readonly namespace: string;
  readonly name: string;
}

/** The objects of a render and what they were rendered from. */
export interface RenderedManifests {
  readonly objects: readonly {
    readonly object: KubeObject;
    readonly origin?: {
      readonly file: string;
      readonly line: number;
      /** What entries of kustomizations wrote into it. */
      readonly written?: readonly WrittenField[];
    };
    /** Whether the namespace is the destination's, because the source names none; false if absent. */
    readonly namespaceDefaulted?: boolean;
  }[];
  /** Resolved commit or chart version, one a source. */
  readonly revisions: readonly string[];
  readonly sourceType: 'Directory' | 'Helm' | 'Kustomize' | 'Plugin';
  /** What ran, for people; may be empty. */
  readonly commands?: readonly string[];
  readonly warnings: readonly Diagnosis[];
  /** Where the fields of the object come from that was to be explained, and of which source, from 0; absent where no chart made it. */
  readonly explained?: { readonly source: number; readonly fields: readonly FieldOrigin[] } | undefined;
}

/** A file, or a symbolic link whose data is its target. */
export interface UploadedFile {
  readonly path: string;
  readonly kind: 'file' | 'link';
  readonly data: Uint8Array;
  readonly mode?: number;
}

/** Who wrote a revision, and why. */
export interface RevisionFacts {
  readonly author: string;
  /** RFC 3339. */
  readonly date: string;
  readonly message: string;
  readonly tags: readonly string[];
}

/** The last comparison of an application, as the controller holds it. */
export interface ApplicationComparison {
  readonly status: SyncCode;
  readonly resources: readonly ComparedResource[];
  readonly conditions: readonly Diagnosis[];
}

/** The resource tree: managed objects first, then their descendants; and orphans of the destination namespace if the project monitors them. */
export interface ApplicationTreeState {
  readonly nodes: readonly TreeNode[];
  readonly orphaned: readonly TreeNode[];
  /** The cluster's nodes that pods of the application run on, with the labels that may be shown. */
  readonly hosts: readonly Host[];
}

/**
 * What the API server needs from the controllers. All answers come from caches unless said otherwise.
 * Every method throws a `DiagnosisError` that is fit for users. An application that was never compared is compared first.
 */
export interface Backend {
  comparison(application: ApplicationRef, signal?: AbortSignal): Promise<ApplicationComparison>;
  /** What other revisions, one a source, would deploy, against what is live; rendered and compared now. Their commits or versions with it. */
  comparisonAt(
    application: ApplicationRef,
    revisions: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ resources: readonly ComparedResource[]; revisions: readonly string[] }>;
  tree(application: ApplicationRef, signal?: AbortSignal): Promise<ApplicationTreeState>;
  /** How its tracked revisions were rendered lately, newest first. */
  renders(application: ApplicationRef, signal?: AbortSignal): Promise<readonly RenderAccount[]>;
  /** What a sync would do to each object, in its order, and why it would be refused; of the last compared revision if it names none. */
  plan(
    application: ApplicationRef,
    sync: SyncOperation,
    signal?: AbortSignal,
  ): Promise<{ rows: readonly PlanRow[]; refusals: readonly Diagnosis[]; summary: string }>;
  /** Called after each change of an application's tree or comparison; returns the unsubscriber. */
  onTreeChange(application: ApplicationRef, listener: () => void): () => void;
  /**
   * Renders `app` (as given: its spec may differ from what is stored) at the given revisions (one a source; its own targets if absent).
   * Objects carry namespace and tracking as a sync would apply them.
   */
  render(
    application: Application,
    options: {
      revisions?: readonly string[];
      noCache?: boolean;
      /** Files that take the place of those of the first source, as paths from the root of its repository. */
      files?: readonly UploadedFile[];
      /** The object of which is to be told where each field comes from; a chart is rendered once more for it. */
      explain?: WantedObject;
      signal?: AbortSignal;
    },
  ): Promise<RenderedManifests>;
  /**
   * Proves at once that every source of the app can be read (repository, revision, path, type) without rendering it.
   * Returns the diagnoses that speak against it; empty means fine.
   */
  checkSources(application: Application, signal?: AbortSignal): Promise<readonly Diagnosis[]>;
  /**
   * The commit (or chart version) that a revision of one source names now, asked at the remote; and how to show it to
   * people, such as `main (<commit>)`. `revision` empty means the source's own target.
   */
  resolveRevision(
    application: Application,
    sourceIndex: number,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ revision: string; display: string }>;
  /** The client and the server URL of the destination `{server?, name?, namespace?}`; throws for an unknown cluster. */
  cluster(destination: { server?: string; name?: string }): Promise<{ server: string; name: string; client: Client }>;
  /** The cluster of an application; the client acts as whom the application's project says. Throws if nobody may be acted as. */
  clusterOf(application: Application): Promise<{ server: string; name: string; client: Client }>;
  /** As told by the process that delivers to the cluster. Undefined for a cluster without applications or one never asked. */
  clusterState(server: string): Promise<ClusterState | undefined>;
  /**
   * A push to what these applications read was announced: their remotes are looked at now, once each, and they are reconciled;
   * those beyond the threshold spread over the milliseconds. Gives those that another process reconciles.
   */
  pushed(
    applications: readonly ApplicationRef[],
    jitter: { milliseconds: number; threshold: number },
  ): Promise<readonly ApplicationRef[]>;
  /** Connects to a cluster that is not declared yet, with Argo CD's `ClusterConfig` JSON; throws what is wrong. */
  testCluster(cluster: { server: string; config: Readonly<Record<string, unknown>> }): Promise<{ version: string }>;
  /** Connects to the repository now (ls-remote, index, tags); throws what is wrong. */
  testRepository(repository: AccessRequest, signal?: AbortSignal): Promise<readonly Diagnosis[]>;
  /** With what a repository is read for a project (the shared ones for `''`), and how it is reached. Never shown to anybody. */
  repositoryCredentials(repoURL: string, project: string): Promise<Credentials>;
  /** The branch that a Git source of an application follows, for those who write to it; throws if it follows none. */
  sourceBranch(application: Application, sourceIndex: number, signal?: AbortSignal): Promise<SourceBranch>;
  /** The files of a commit of a Git source of an application, as they are stored. */
  sourceFiles(application: Application, sourceIndex: number, commit: string, signal?: AbortSignal): Promise<GitTree>;
  /** The newest commit that two others of a Git source have in common; undefined where its history here tells none. */
  mergeBase(
    application: Application,
    sourceIndex: number,
    commits: readonly [string, string],
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  revision(source: SourceRequest, project: string, revision: string, signal?: AbortSignal): Promise<RevisionFacts>;
  /** What is known of the signature of a commit, and whether the project trusts it. */
  signature(source: SourceRequest, project: string, commit: string, signal: AbortSignal): Promise<SignatureAccount>;
  /** Branches and tags. */
  refs(
    repository: AccessRequest,
    signal?: AbortSignal,
  ): Promise<{ branches: readonly string[]; tags: readonly string[] }>;
  /** Charts of a Helm repository with their versions, newest first. */
  charts(
    repository: AccessRequest,
    signal?: AbortSignal,
  ): Promise<readonly { name: string; versions: readonly string[] }[]>;
  /** Tags of a repository of an OCI registry, `_` read as `+`. */
  tags(repository: AccessRequest, signal?: AbortSignal): Promise<readonly string[]>;
  /** What a version of a source's chart says of itself; maintainers as `Name <mail>`. */
  chartDetails(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ description: string; home: string; maintainers: readonly string[] }>;
  /** Annotations of the manifest of a source's OCI artifact. */
  artifactAnnotations(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, string>>>;
  /** Folders of the repository that hold an application, by path, with the type found. */
  discover(
    repository: AccessRequest,
    revision: string,
    signal?: AbortSignal,
  ): Promise<readonly { path: string; type: string }[]>;
  /** Names of the config-management plugins that are there now. */
  plugins(): Promise<readonly string[]>;
  /** What a source can be told, by the tool that it is for: values of charts, images, parameters of plugins. The application need not be stored. */
  sourceDetails(application: Application, source: SourceRequest, signal?: AbortSignal): Promise<SourceDetails>;
  /** A file of the first Git source that has it at the revisions (one a source), or of the one at the index `only`; undefined if none has. */
  sourceFile(
    application: Application,
    revisions: readonly string[],
    file: string,
    signal?: AbortSignal,
    only?: number,
  ): Promise<SourceFile | undefined>;
  /** Newest version of the chart of an application with one source; undefined if its source is no chart of a repository. */
  newestChart(application: Application, signal?: AbortSignal): Promise<string | undefined>;
  /** What can be done to an object, sorted by name; throws what is wrong with a script of the settings. */
  availableActions(object: KubeObject): ActionInfo[];
  /** What an action would do, all of it permitted by the application's project; throws why it cannot be done. */
  planAction(
    application: ApplicationRef,
    object: KubeObject,
    action: string,
    parameters: Readonly<Record<string, string>>,
  ): ActionEffect[];
  /**
   * One desired object against its live one by a dry run of a server-side apply, by the application's own rules; both sides
   * normalised, the values of Secrets hidden.
   */
  compareByServer(
    application: ApplicationRef,
    desired: KubeObject,
    live: KubeObject,
    signal?: AbortSignal,
  ): Promise<{ live: KubeObject; predicted: KubeObject; modified: boolean }>;
}
