/** Names of the peers that existing installations depend on: they are the API as much as the fields are. */

export const group = 'argoproj.io';
export const apiVersion = 'argoproj.io/v1alpha1';

export const annotations = {
  refresh: 'argocd.argoproj.io/refresh',
  /** With a refresh that somebody waits for, who gets to see what it finds before automated sync acts on it. */
  showRefresh: 'tiphys.dev/show-refresh',
  refreshTimestamp: 'argocd.argoproj.io/refresh-timestamp',
  hydrate: 'argocd.argoproj.io/hydrate',
  /** Applications that automated sync waits for, separated by commas. */
  dependsOn: 'tiphys.dev/depends-on',
  /** Revisions that automated sync does not deliver again, with why: JSON. */
  quarantine: 'tiphys.dev/quarantined-revisions',
  /** How long after its beginning an automated sync may take to bring health; what does not is taken back. */
  healthGate: 'tiphys.dev/health-gate',
  /** Notifications of the object that are decided and not delivered: JSON, with what keeps each from it. */
  notificationOutbox: 'tiphys.dev/notification-outbox',
  /** Subscriptions of the object that nobody can serve, and why: JSON. */
  notificationProblems: 'tiphys.dev/notification-problems',
  trackingId: 'argocd.argoproj.io/tracking-id',
  installationId: 'argocd.argoproj.io/installation-id',
  syncWave: 'argocd.argoproj.io/sync-wave',
  syncOptions: 'argocd.argoproj.io/sync-options',
  compareOptions: 'argocd.argoproj.io/compare-options',
  hook: 'argocd.argoproj.io/hook',
  hookDeletePolicy: 'argocd.argoproj.io/hook-delete-policy',
  deletionApproved: 'argocd.argoproj.io/deletion-approved',
  manifestGeneratePaths: 'argocd.argoproj.io/manifest-generate-paths',
  managedByUrl: 'argocd.argoproj.io/managed-by-url',
  skipReconcile: 'argocd.argoproj.io/skip-reconcile',
  ignoreHealthCheck: 'argocd.argoproj.io/ignore-healthcheck',
  ignoreResourceUpdates: 'argocd.argoproj.io/ignore-resource-updates',
  ignoreDefaultLinks: 'argocd.argoproj.io/ignore-default-links',
  clientSideApplyMigrationManager: 'argocd.argoproj.io/client-side-apply-migration-manager',
  /** Followed by a name: `link.argocd.argoproj.io/dashboard`. */
  linkPrefix: 'link.argocd.argoproj.io/',
  managedBy: 'managed-by',
  helmHook: 'helm.sh/hook',
  helmHookWeight: 'helm.sh/hook-weight',
  helmHookDeletePolicy: 'helm.sh/hook-delete-policy',
  helmResourcePolicy: 'helm.sh/resource-policy',
} as const;

export const labels = {
  instance: 'app.kubernetes.io/instance',
  secretType: 'argocd.argoproj.io/secret-type',
  partOf: 'app.kubernetes.io/part-of',
  clusterKubernetesVersion: 'argocd.argoproj.io/kubernetes-version',
  autoLabelClusterInfo: 'argocd.argoproj.io/auto-label-cluster-info',
} as const;

/** Names of entries of `operation.info` that are heeded. */
export const infos = {
  /** `all`, or objects as `[GROUP:]KIND:[NAMESPACE/]NAME` separated by commas: their generated values are made anew. */
  rotateGenerated: 'tiphys.dev/rotate-generated',
  /** Digest of the recorded manifests that an automated operation restores. */
  recordedManifests: 'tiphys.dev/recorded-manifests',
} as const;

/** Values of the label `secretType`. */
export const secretTypes = {
  cluster: 'cluster',
  repository: 'repository',
  repositoryCredentials: 'repo-creds',
  repositoryWrite: 'repository-write',
  repositoryCredentialsWrite: 'repo-write-creds',
  scmCredentials: 'scm-creds',
} as const;

/** Value of `managedBy` on Secrets that the API made. */
export const managedByValue = 'argocd.argoproj.io';

export const finalizers = {
  resources: 'resources-finalizer.argocd.argoproj.io',
  resourcesForeground: 'resources-finalizer.argocd.argoproj.io/foreground',
  resourcesBackground: 'resources-finalizer.argocd.argoproj.io/background',
  preDelete: 'pre-delete-finalizer.argocd.argoproj.io',
  postDelete: 'post-delete-finalizer.argocd.argoproj.io',
  hook: 'argocd.argoproj.io/hook-finalizer',
} as const;

export const configMaps = {
  settings: 'argocd-cm',
  rbac: 'argocd-rbac-cm',
  parameters: 'argocd-cmd-params-cm',
  knownHosts: 'argocd-ssh-known-hosts-cm',
  tlsCertificates: 'argocd-tls-certs-cm',
  gpgKeys: 'argocd-gpg-keys-cm',
  /** Keys of people who sign commits by SSH, in the form of authorized_keys; Argo CD has none. */
  sshSigningKeys: 'tiphys-ssh-signing-keys',
  notifications: 'argocd-notifications-cm',
  shards: 'argocd-app-controller-shard-cm',
} as const;

/** ConfigMaps that every installation has, so that people can edit them. */
export const installedConfigMaps: readonly string[] = [
  configMaps.settings,
  configMaps.parameters,
  configMaps.rbac,
  configMaps.knownHosts,
  configMaps.tlsCertificates,
  configMaps.gpgKeys,
  configMaps.notifications,
];

/** Key of the ConfigMap `knownHosts` that holds the file. */
export const knownHostsKey = 'ssh_known_hosts';

export const secrets = {
  settings: 'argocd-secret',
  initialAdmin: 'argocd-initial-admin-secret',
  notifications: 'argocd-notifications-secret',
} as const;

/** Keys of the Secret `settings`. */
export const secretKeys = {
  serverSignature: 'server.secretkey',
  serverCertificate: 'tls.crt',
  serverPrivateKey: 'tls.key',
  adminPassword: 'admin.password',
  adminPasswordMtime: 'admin.passwordMtime',
  adminTokens: 'admin.tokens',
  webhookGitHub: 'webhook.github.secret',
  webhookGitLab: 'webhook.gitlab.secret',
  webhookBitbucketUuid: 'webhook.bitbucket.uuid',
  webhookBitbucketServer: 'webhook.bitbucketserver.secret',
  webhookGogs: 'webhook.gogs.secret',
  webhookAzureDevOpsUsername: 'webhook.azuredevops.username',
  webhookAzureDevOpsPassword: 'webhook.azuredevops.password',
} as const;

/** Key of the Secret `initialAdmin`. */
export const initialPasswordKey = 'password';

/** Keys of the ConfigMap `settings`. */
export const settingKeys = {
  url: 'url',
  additionalUrls: 'additionalUrls',
  instanceLabelKey: 'application.instanceLabelKey',
  resourceTrackingMethod: 'application.resourceTrackingMethod',
  installationId: 'installationID',
  allowedNodeLabels: 'application.allowedNodeLabels',
  resourceCustomizations: 'resource.customizations',
  resourceExclusions: 'resource.exclusions',
  resourceInclusions: 'resource.inclusions',
  resourceCompareOptions: 'resource.compareoptions',
  resourceRespectRbac: 'resource.respectRBAC',
  resourceCustomLabels: 'resource.customLabels',
  resourceSensitiveAnnotations: 'resource.sensitive.mask.annotations',
  ignoreResourceUpdatesEnabled: 'resource.ignoreResourceUpdatesEnabled',
  reconciliationTimeout: 'timeout.reconciliation',
  reconciliationJitter: 'timeout.reconciliation.jitter',
  hardReconciliationTimeout: 'timeout.hard.reconciliation',
  inClusterEnabled: 'cluster.inClusterEnabled',
  globalProjects: 'globalProjects',
  adminEnabled: 'admin.enabled',
  anonymousEnabled: 'users.anonymous.enabled',
  sessionDuration: 'users.session.duration',
  passwordPattern: 'passwordPattern',
  oidcConfig: 'oidc.config',
  dexConfig: 'dex.config',
  statusBadgeEnabled: 'statusbadge.enabled',
  execEnabled: 'exec.enabled',
  execShells: 'exec.shells',
  helmEnabled: 'helm.enable',
  kustomizeEnabled: 'kustomize.enable',
  jsonnetEnabled: 'jsonnet.enable',
  helmValuesFileSchemes: 'helm.valuesFileSchemes',
  kustomizeBuildOptions: 'kustomize.buildOptions',
  applicationLinks: 'application.links',
  projectLinks: 'project.links',
  resourceLinks: 'resource.links',
  maxWebhookPayloadMB: 'webhook.maxPayloadSizeMB',
  maxPodLogsToRender: 'server.maxPodLogsToRender',
  impersonationEnabled: 'application.sync.impersonation.enabled',
  requireOverridePrivilegeForRevisionSync: 'application.sync.requireOverridePrivilegeForRevisionSync',
} as const;

/** Keys of the ConfigMap `rbac`. */
export const rbacKeys = {
  policy: 'policy.csv',
  /** More policies are the keys `policy.<anything>.csv`. */
  policyPrefix: 'policy.',
  defaultRole: 'policy.default',
  scopes: 'scopes',
  matchMode: 'policy.matchMode',
} as const;

/** Keys of the ConfigMap `parameters` that are read. */
export const parameterKeys = {
  applicationNamespaces: 'application.namespaces',
  statusProcessors: 'controller.status.processors',
  operationProcessors: 'controller.operation.processors',
  selfHealTimeout: 'controller.self.heal.timeout.seconds',
  selfHealBackoffTimeout: 'controller.self.heal.backoff.timeout.seconds',
  selfHealBackoffFactor: 'controller.self.heal.backoff.factor',
  selfHealBackoffCap: 'controller.self.heal.backoff.cap.seconds',
  syncTimeout: 'controller.sync.timeout.seconds',
  syncWaveDelay: 'controller.sync.wave.delay.seconds',
  serverSideDiff: 'controller.diff.server.side',
  repoErrorGracePeriod: 'controller.repo.error.grace.period.seconds',
  resourceHealthPersist: 'controller.resource.health.persist',
  maxCombinedDirectoryManifestsSize: 'reposerver.max.combined.directory.manifests.size',
  gitRequestTimeout: 'reposerver.git.request.timeout',
  lsRemoteParallelism: 'reposerver.git.lsremote.parallelism.limit',
  allowOutOfBoundsSymlinks: 'reposerver.allow.oob.symlinks',
  includeHiddenDirectories: 'reposerver.include.hidden.directories',
  repoCacheExpiration: 'reposerver.repo.cache.expiration',
  rendererParallelism: 'reposerver.parallelism.limit',
  serverInsecure: 'server.insecure',
  serverBaseHref: 'server.basehref',
  serverRootPath: 'server.rootpath',
  serverDisableAuth: 'server.disable.auth',
  connectionStatusExpiration: 'server.connection.status.cache.expiration',
} as const;

/** Keys of Secrets of the types `repository` and `repo-creds`. */
export const repositoryKeys = {
  type: 'type',
  url: 'url',
  name: 'name',
  project: 'project',
  username: 'username',
  password: 'password',
  bearerToken: 'bearerToken',
  sshPrivateKey: 'sshPrivateKey',
  tlsClientCertData: 'tlsClientCertData',
  tlsClientCertKey: 'tlsClientCertKey',
  insecure: 'insecure',
  insecureIgnoreHostKey: 'insecureIgnoreHostKey',
  enableLfs: 'enableLfs',
  enableOci: 'enableOCI',
  insecureOciForceHttp: 'insecureOCIForceHttp',
  githubAppId: 'githubAppID',
  githubAppInstallationId: 'githubAppInstallationID',
  githubAppPrivateKey: 'githubAppPrivateKey',
  githubAppEnterpriseBaseUrl: 'githubAppEnterpriseBaseUrl',
  proxy: 'proxy',
  noProxy: 'noProxy',
  depth: 'depth',
  forceHttpBasicAuth: 'forceHttpBasicAuth',
  gcpServiceAccountKey: 'gcpServiceAccountKey',
  useAzureWorkloadIdentity: 'useAzureWorkloadIdentity',
} as const;

/** Keys of Secrets of the type `cluster`. */
export const clusterKeys = {
  name: 'name',
  server: 'server',
  config: 'config',
  namespaces: 'namespaces',
  clusterResources: 'clusterResources',
  project: 'project',
  shard: 'shard',
} as const;

export const defaults = {
  project: 'default',
  inClusterName: 'in-cluster',
  inClusterServer: 'https://kubernetes.default.svc',
  revisionHistoryLimit: 10,
  retryDuration: '5s',
  retryMaxDuration: '3m0s',
  retryFactor: 2,
  fieldManager: 'argocd-controller',
  adminAccount: 'admin',
  tokenCookie: 'argocd.token',
} as const;
