import type { HttpAnswer, HttpRequest } from '@tiphys/git';
import type { Clock, KubeObject, LabelSelector } from '@tiphys/kubernetes';

/** What generators read; the composition root makes it of caches and clients, tests of plain data. */
export interface GeneratorSources {
  readonly clock: Clock;
  /** Namespace of the control plane. */
  readonly controlNamespace: string;
  /** The Secrets of registered clusters. */
  clusterSecrets(): Iterable<KubeObject>;
  projectExists(name: string): boolean;
  readonly git: GitSource;
  secret(namespace: string, name: string): Promise<KubeObject | undefined>;
  configMap(namespace: string, name: string): Promise<KubeObject | undefined>;
  /** Objects of a resource that is named by its plural, in the namespace of the control plane. */
  decisions(request: DecisionRequest): Promise<readonly KubeObject[]>;
  /** Settings of a repo-creds Secret, by its name; undefined if there is none. */
  repositoryCredentials(secretName: string): Readonly<Record<string, string>> | undefined;
  /** One HTTP request to the API of a host or a plugin. */
  http(request: Omit<HttpRequest, 'clock'>): Promise<HttpAnswer>;
  /** A token with which an installation of a GitHub App reads the API. */
  githubAppToken(request: GitHubAppRequest): Promise<string>;
  settings(): GeneratorSettings;
}

export interface DecisionRequest {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly name?: string;
  readonly labelSelector?: LabelSelector;
}

export interface GitHubAppRequest {
  readonly settings: Readonly<Record<string, string>>;
  /** `owner` or `owner/repository` whose installation is meant if the settings name none. */
  readonly owner: string;
  readonly repository?: string;
  readonly signal?: AbortSignal | undefined;
}

/** What generators may do, of argocd-cmd-params-cm and the environment. */
export interface GeneratorSettings {
  /** Default of `requeueAfterSeconds` of Git and decision generators, in milliseconds; 3 minutes. */
  readonly requeueAfter: number;
  /** API addresses that SCM and pull-request generators may name; empty for any. */
  readonly allowedScmProviders: readonly string[];
  readonly enableScmProviders: boolean;
  /** Secrets that generators name must be labelled as credentials of Git hosts. */
  readonly tokenRefStrictMode: boolean;
  /** Paths of Git file generators are globs with `**` instead of git's own patterns. */
  readonly newGitFileGlobbing: boolean;
  readonly includeHiddenDirectories: boolean;
  /** PEM of authorities that Git hosts may be signed by, besides the system's. */
  readonly scmRootCa: string | undefined;
  readonly scmProxy: string | undefined;
  readonly scmNoProxy: string | undefined;
}

export interface GitRequest {
  readonly repoURL: string;
  readonly revision: string;
  /** Project whose credentials are used; empty for those of all. */
  readonly project: string;
  readonly refresh: boolean;
  /** How old the look at the remote may be, in milliseconds; the repositories' own rule if absent. */
  readonly maxAge?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GitFile {
  readonly path: string;
  readonly content: string;
}

export interface GitSource {
  /** Paths of all folders, each before what is in it, without the root. */
  directories(request: GitRequest & { readonly hidden: boolean }): Promise<readonly string[]>;
  /** Files whose paths match one pattern and none of the excludes, sorted by path, and the commit they are of. */
  files(
    request: GitRequest & {
      readonly include: readonly string[];
      readonly exclude: readonly string[];
      readonly newGlobbing: boolean;
    },
  ): Promise<{ readonly commit: string; readonly value: readonly GitFile[] }>;
}
