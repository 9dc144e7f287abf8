/** The parts of the API's JSON that the page shows. The page talks to the server over HTTP alone and shares no code with it. */

export interface Health {
  status?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Evidence {
  name: string;
  value: string;
}

export interface Remedy {
  text: string;
  paste?: string;
  loses?: string;
}

export interface Diagnosis {
  code: string;
  cause: string;
  message: string;
  condition?: string;
  place?: {
    file?: string;
    line?: number;
    column?: number;
    object?: string;
    field?: string;
    remote?: string;
    revision?: string;
  };
  evidence?: Evidence[];
  remedies?: Remedy[];
  causes?: Diagnosis[];
}

export interface Source {
  repoURL?: string;
  path?: string;
  chart?: string;
  targetRevision?: string;
}

export interface ResourceStatus {
  group?: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  status?: string;
  health?: Health;
  hook?: boolean;
  requiresPruning?: boolean;
  syncWave?: number;
}

/** One object of the planner's plan of a sync. */
export interface PlanRow {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  phase: string;
  wave?: number;
  effect: 'create' | 'change' | 'apply' | 'delete' | 'leave' | 'hook';
  words: string;
  reason: string;
}

export interface ResourceResult extends ResourceStatus {
  message?: string;
  hookType?: string;
  hookPhase?: string;
  syncPhase?: string;
}

export interface OperationState {
  phase: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  retryCount?: number;
  operation?: {
    initiatedBy?: { username?: string; automated?: boolean };
    info?: { name: string; value: string }[] | null;
    sync?: {
      prune?: boolean;
      dryRun?: boolean;
      syncOptions?: string[] | null;
      syncStrategy?: { apply?: { force?: boolean } | null; hook?: { force?: boolean } | null } | null;
      resources?: { group?: string; kind: string; name: string }[] | null;
    };
  };
  syncResult?: { revision?: string; revisions?: string[] | null; resources?: ResourceResult[] };
}

export interface HistoryEntry {
  id: number;
  revision?: string;
  revisions?: string[] | null;
  sources?: Source[] | null;
  deployedAt?: string;
  deployStartedAt?: string;
  source?: Source;
  initiatedBy?: { username?: string; automated?: boolean };
}

/** Where an object comes from: a line of a file, and the lines of its document with the commits that wrote them. */
export interface Origin {
  revisions: string[];
  file?: string;
  line?: number;
  commits?: { commit: string; author: string; date: string; subject: string }[];
  /** Without text where it is secret; `commit` is an index of `commits`. */
  lines?: { number: number; text?: string; commit?: number }[];
  /** How many lines more there are. */
  left?: number;
  /** What a chart made, or a kustomization wrote; `commit` of its places is an index of `writers`. */
  fields?: FieldOrigin[];
  writers?: { commit: string; author: string; date: string; subject: string }[];
}

/** A line of a file; without a commit where no repository has the file. */
export interface WrittenPlace {
  file: string;
  line: number;
  commit?: number;
  /** Index of the source that has the file. */
  source?: number;
  text?: string;
}

export interface FieldValue {
  /** `Values.image.tag` */
  name: string;
  isEmpty?: boolean;
  isKey?: boolean;
  /** Absent for what is no value, such as the name of the release. */
  givenBy?: (WrittenPlace | { field: string; line: number } | { parameter: string })[];
}

/** Where one field of an object comes from. */
export interface FieldOrigin {
  /** JSON pointer. */
  pointer: string;
  /** Absent for what may be secret. */
  value?: string;
  place?: WrittenPlace;
  includedAt?: WrittenPlace[];
  values?: FieldValue[];
  functions?: string[];
  generatedBy?: string[];
  conditions?: { condition: string; place: WrittenPlace; values: FieldValue[] }[];
  /** Of a kustomization: `patches[0]`. */
  entry?: string;
  added?: string;
}

/** A commit, or the annotations of an artifact. */
export interface RevisionMetadata {
  author?: string;
  date?: string;
  tags?: string[] | null;
  message?: string;
  /** What is known of its signature, in one English sentence; empty if it has none and none is wanted. */
  signatureInfo?: string;
  /** Present where the project wants commits signed; without problems it trusts this one. */
  sourceIntegrityResult?: { Checks?: { Name?: string; Problems?: string[] | null }[] | null };
}

export interface ChartDetails {
  description?: string;
  home?: string;
  maintainers?: string[] | null;
}

/** The annotations of an artifact in a registry. */
export interface ArtifactDetails {
  description?: string;
  version?: string;
  authors?: string;
  createdAt?: string;
  sourceUrl?: string;
  docsUrl?: string;
}

export interface Application {
  metadata: {
    name: string;
    namespace: string;
    uid?: string;
    resourceVersion?: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: { kind: string; name: string }[] | null;
  };
  spec: {
    project?: string;
    source?: Source;
    sources?: Source[];
    destination: { server?: string; name?: string; namespace?: string };
    ignoreDifferences?: unknown[];
    info?: { name: string; value: string }[] | null;
    sourceHydrator?: { drySource?: Source; syncSource?: { targetBranch?: string; path?: string } } | null;
    syncPolicy?: {
      automated?: { prune?: boolean; selfHeal?: boolean; enabled?: boolean };
      syncOptions?: string[];
      retry?: {
        limit?: number | string;
        refresh?: boolean;
        backoff?: { duration?: string; factor?: number | string; maxDuration?: string };
      };
    };
  };
  operation?: unknown;
  status?: {
    sync?: { status?: string; revision?: string; revisions?: string[] | null };
    health?: Health;
    conditions?: { type: string; message: string; lastTransitionTime?: string }[];
    diagnoses?: Diagnosis[];
    resources?: ResourceStatus[];
    history?: HistoryEntry[];
    operationState?: OperationState;
    reconciledAt?: string;
    summary?: { images?: string[]; externalURLs?: string[] };
    sourceHydrator?: {
      currentOperation?: {
        phase?: string;
        message?: string;
        drySHA?: string;
        hydratedSHA?: string;
        startedAt?: string;
        finishedAt?: string;
      };
    };
  };
}

/** What an application would deploy. */
export interface ApplicationPreview {
  sourceType: string;
  revisions: string[];
  warnings: Diagnosis[];
  objects: {
    kind: string;
    namespace: string;
    name: string;
    origin?: { file: string; line: number };
    manifest?: unknown;
  }[];
}

/** One event of the watch of applications. */
export interface WatchEvent {
  type: string;
  application: Application;
}

/** Why the manifests of one source are what they are. */
export interface RenderAccount {
  /** Position in `spec.sources`, from 0. */
  source: number;
  revision: string;
  sourceType: string;
  found: 'memory' | 'disk' | 'shared' | 'rendered';
  /** Digests of all that was read, and of the objects. */
  inputs: string;
  output: string;
  paths: number;
  changed: string[];
  why: string;
  since: string;
  until: string;
  times: number;
}

/** What one replica of the server found of a repository. */
export interface ReplicaConnection {
  replica: string;
  node: string;
  status: string;
  message: string;
  cause: string;
  notices: string[];
  /** The last checks, oldest first: `S` or `F`. */
  results: string;
  checkedAt: string;
}

export interface RepositoryConnection {
  repo: string;
  type?: string;
  name?: string;
  project?: string;
  inheritedCreds?: boolean;
  connectionState: { status: string; message: string; attemptedAt: string };
  replicas: ReplicaConnection[];
}

export interface Cluster {
  name: string;
  server: string;
  project?: string;
  namespaces?: string[] | null;
  shard?: string | number;
  labels?: Record<string, string> | null;
  clusterResources?: boolean;
  info: {
    connectionState: { status: string; message: string };
    serverVersion?: string;
    applicationsCount?: string | number;
    cacheInfo?: { resourcesCount?: string | number; apisCount?: string | number; lastCacheSyncTime?: string | null };
  };
}

interface KindRule {
  group: string;
  kind: string;
}

export interface SyncWindow {
  kind?: string;
  schedule?: string;
  duration?: string;
  applications?: string[] | null;
  namespaces?: string[] | null;
  clusters?: string[] | null;
  timeZone?: string;
  manualSync?: boolean;
  /** All of applications, namespaces and clusters must match. */
  andOperator?: boolean;
  description?: string;
}

export interface RoleToken {
  iat: string | number;
  exp?: string | number;
  id?: string;
}

export interface ProjectRole {
  name: string;
  description?: string;
  policies?: string[] | null;
  groups?: string[] | null;
  jwtTokens?: RoleToken[] | null;
}

export interface Project {
  metadata: { name: string };
  spec: {
    description?: string;
    sourceRepos?: string[] | null;
    destinations?: { server?: string; name?: string; namespace?: string }[] | null;
    clusterResourceWhitelist?: KindRule[] | null;
    clusterResourceBlacklist?: KindRule[] | null;
    namespaceResourceWhitelist?: KindRule[] | null;
    namespaceResourceBlacklist?: KindRule[] | null;
    sourceNamespaces?: string[] | null;
    destinationServiceAccounts?: { server?: string; namespace?: string; defaultServiceAccount?: string }[] | null;
    signatureKeys?: { keyID: string }[] | null;
    sourceIntegrity?: {
      git?: {
        policies?:
          | { repos?: { url?: string }[] | null; gpg?: { mode: string; keys?: string[] | null } | null }[]
          | null;
      } | null;
    } | null;
    orphanedResources?: {
      warn?: boolean;
      ignore?: { group?: string; kind?: string; name?: string }[] | null;
    } | null;
    syncWindows?: SyncWindow[] | null;
    roles?: ProjectRole[] | null;
    permitOnlyProjectScopedClusters?: boolean;
  };
  status?: { jwtTokensByRole?: Record<string, { items?: RoleToken[] | null }> | null } | null;
}

/** Something that can be done to an object besides changing it. */
export interface ResourceAction {
  name: string;
  displayName?: string;
  disabled?: boolean;
  params?: { name: string }[] | null;
}

/** What the login page offers, and for who is logged in what the server allows. */
/** The sync windows of an application, and what they let happen now. */
export interface ApplicationWindowList {
  items: {
    window: SyncWindow;
    problem?: string;
    active: boolean;
    openings: { from: number; to: number }[];
  }[];
  manual: { allowed: boolean; until?: number };
  automated: { allowed: boolean; until?: number };
}

export interface Settings {
  statusBadgeEnabled?: boolean;
  statusBadgeRootUrl?: string;
  execEnabled?: boolean;
  oidcConfig?: { name?: string };
  dexConfig?: { connectors?: { name?: string; type?: string }[] | null };
  userLoginsDisabled?: boolean;
  passwordPattern?: string;
  kustomizeVersions?: string[] | null;
  uiBannerContent?: string;
  uiBannerURL?: string;
  uiBannerPermanent?: boolean;
  uiBannerPosition?: string;
  uiCssURL?: string;
  uiLoginButtonText?: string;
  help?: { chatUrl?: string; chatText?: string; binaryUrls?: Record<string, string> | null } | null;
}

export interface TreeNode {
  group?: string;
  version?: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  parentRefs?: { uid?: string; group?: string; kind?: string; namespace?: string; name?: string }[];
  info?: { name: string; value: string }[];
  health?: Health;
  images?: string[];
  createdAt?: string;
  networkingInfo?: {
    targetLabels?: Record<string, string> | null;
    targetRefs?: { group?: string; kind?: string; namespace?: string; name?: string }[] | null;
    labels?: Record<string, string> | null;
    ingress?: { hostname?: string; ip?: string }[] | null;
    externalURLs?: string[] | null;
  };
}

/** A node of the cluster, with what pods ask of it. */
export interface Host {
  name: string;
  resourcesInfo?:
    | {
        resourceName: string;
        requestedByApp?: string | number;
        requestedByNeighbors?: string | number;
        capacity?: string | number;
      }[]
    | null;
}

/** The objects of an application, what nobody manages beside them, and where its pods run. */
export interface ApplicationTree {
  nodes?: TreeNode[] | null;
  orphanedNodes?: TreeNode[] | null;
  hosts?: Host[] | null;
}

export interface ManagedResource {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  hook?: boolean;
  targetState?: string;
  normalizedLiveState?: string;
  predictedLiveState?: string;
}

export interface KubeEvent {
  metadata?: { uid?: string; name?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string;
  firstTimestamp?: string;
  eventTime?: string;
  involvedObject?: { kind?: string; name?: string };
}

/** A notification that is decided and not delivered. */
interface WaitingNotification {
  id: string;
  trigger: string;
  service: string;
  recipient: string;
  at: string;
  problem?: { code: string; message: string; remedy?: string };
  givenUp?: boolean;
}

export interface NotifiedObject {
  name: string;
  namespace: string;
  subscriptions: readonly { trigger: string; service: string; recipient: string }[];
  told: readonly { key: string; at: string }[];
  waiting: readonly WaitingNotification[];
}

/** Who is told what of the objects of a kind that one may see. */
export interface NotifiedKind {
  kind: string;
  configMap: string;
  services: readonly { name: string; type: string }[];
  templates: readonly string[];
  problems: readonly Diagnosis[];
  objects: readonly NotifiedObject[];
}

export interface NotificationOverview {
  kinds: readonly NotifiedKind[];
}

export interface ApplicationSet {
  metadata: { name: string; namespace: string; annotations?: Record<string, string>; deletionTimestamp?: string };
  spec: {
    generators?: Record<string, unknown>[];
    template?: { spec?: { project?: string } };
    strategy?: { type?: string };
    syncPolicy?: { applicationsSync?: string; preserveResourcesOnDeletion?: boolean };
  };
  status?: {
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
    resources?: ResourceStatus[];
    resourcesCount?: number;
    health?: Health;
    applicationStatus?: { application: string; status: string; step: string; message?: string }[];
    diagnoses?: Diagnosis[];
  };
}

/** Which element of which generator an Application is made for. */
export interface SetOrigin {
  field: string;
  generator: string;
  element: string;
}

export interface SetElement {
  application: string;
  origin: SetOrigin;
}

/** What would happen to each Application of a set. */
export interface SetPreview {
  applications: {
    name: string;
    change: 'create' | 'update' | 'none' | 'delete' | 'refused';
    origin?: SetOrigin;
    /** As the template gives it; none of what is deleted. */
    application?: Application;
    patch?: Record<string, unknown>;
    problem?: Diagnosis;
  }[];
  failures: { diagnosis: Diagnosis; origin?: SetOrigin }[];
  gaps: Diagnosis[];
}
