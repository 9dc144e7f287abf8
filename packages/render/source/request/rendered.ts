import type { ApplicationSource } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { Repository } from '@tiphys/git';
import type { RecordedValue } from '@tiphys/helm';
import type { TreeFile } from './chart-source-tree.ts';
import type { DesiredObject } from './desired-object.ts';
import type { FieldOrigin, WantedObject } from './field-origins.ts';
import type { KustomizeVersion } from './kustomize-versions.ts';

/** Where an outcome was found; `rendered` is nowhere. */
export type FoundAt = 'memory' | 'disk' | 'shared' | 'rendered';

export type SourceType = 'Directory' | 'Helm' | 'Kustomize' | 'Plugin';

/** Facts of the destination cluster that a source may ask for. */
export interface ClusterFacts {
  /** Such as `v1.34.4`. */
  readonly kubeVersion?: string;
  /** `v1`, `apps/v1`, `apps/v1/Deployment`, … */
  readonly apiVersions?: readonly string[];
  /**
   * Reads a live object, or with an empty name a list, as Helm's `lookup` does; undefined if there is none. Absent: nothing is
   * ever found. What was read is part of the read-set, and asked again at every render.
   */
  readonly lookup?: (request: {
    apiVersion: string;
    kind: string;
    namespace: string;
    name: string;
  }) => Promise<unknown>;
}

/** A source of the application that has a `ref`: values files of others may lie in it. */
export interface ReferencedSource {
  readonly repository: RenderRequest['repository'];
  /** A commit, or whatever `targetRevision` allows. */
  readonly revision: string;
  readonly tagPrefix?: string;
  /** Set for a Helm chart, which can not be referred to. */
  readonly chart?: string;
}

/** How config-management plugins are asked. */
export interface PluginRequest {
  /** Milliseconds of one call; `controller.repo.server.timeout.seconds`, 60 s if absent. */
  readonly timeout?: number;
  /** `reposerver.plugin.tar.exclusions`: what is not sent, as patterns of paths. */
  readonly tarExclusions?: readonly string[];
  /** The annotation `argocd.argoproj.io/manifest-generate-paths` where it limits what is sent; everything is sent if absent. */
  readonly generatePaths?: string;
}

export interface RenderRequest {
  readonly application: { readonly name: string; readonly namespace: string; readonly project: string };
  readonly source: ApplicationSource;
  /** Commit, or any revision; the source's target if absent. */
  readonly revision?: string;
  /** `type` as the repository's Secret says; `git` if absent. */
  readonly repository: Repository & {
    readonly type?: 'git' | 'helm' | 'oci';
    /** A registry in the place of a Helm repository: `enableOCI`. */
    readonly oci?: boolean;
    /** The registry is asked without TLS: `insecureOCIForceHttp`. */
    readonly plainHttp?: boolean;
    /** The repository at a submodule's URL with the credentials that may be used for it. Absent: submodules are empty folders. */
    readonly submodules?: (url: string) => Repository;
  };
  /** The registered repository of a chart's dependency, by its URL or as `@name`; undefined if nobody registered it. */
  readonly dependencyRepository?: (repository: string) => RenderRequest['repository'] | undefined;
  /** Whether the project permits a repository; only its credentials are withheld where not. */
  readonly permitsRepository?: (url: string) => boolean;
  readonly destinationNamespace: string;
  /** The source is one of `spec.sources`: without a path and a chart it gives nothing, and is no mistake. */
  readonly several?: boolean;
  /** Sources of the application by their `ref`. */
  readonly references?: ReadonlyMap<string, ReferencedSource>;
  /** `helm.valuesFileSchemes` of argocd-cm; https and http if absent. */
  readonly valuesFileSchemes?: readonly string[];
  /** Tools that the settings switch off, such as with `kustomize.enable: "false"`; none if absent. */
  readonly disabledTools?: ReadonlySet<'helm' | 'kustomize' | 'jsonnet'>;
  readonly cluster?: ClusterFacts;
  /** What earlier renders for the application generated; everything is generated anew without. */
  readonly recorded?: readonly RecordedValue[];
  /** `kustomize.buildOptions` of argocd-cm. */
  readonly kustomizeBuildOptions?: string;
  /** Programs that argocd-cm registers for `spec.source.kustomize.version`; none if absent. */
  readonly kustomizeVersions?: Readonly<Record<string, KustomizeVersion>>;
  readonly plugins?: PluginRequest;
  /** Files that take the place of the repository's, such as those of somebody's folder; `revision` is what they are called. */
  readonly files?: readonly TreeFile[];
  /** How old the look at the remote may be, in milliseconds; 0 asks again. */
  readonly maxAge?: number;
  /** Renders again, whatever is cached. */
  readonly noCache?: boolean;
  /** The object of which is to be told where each field comes from; for charts alone, which are rendered once more for it. */
  readonly explain?: WantedObject;
  /** Told once if the render waits for others for long. */
  readonly onWait?: (diagnosis: Diagnosis) => void;
  /** Told where each outcome was found on the way. */
  readonly onFound?: (at: FoundAt) => void;
  readonly signal?: AbortSignal;
}

/** One thing that the output depends on: a path of the repository and the id of what was there. */
export interface ReadPath {
  readonly path: string;
  /** Git object id; absent where there was nothing. */
  readonly oid?: string;
}

/** Everything that the output depends on. */
export interface ReadSet {
  /** Sorted by path. */
  readonly paths: readonly ReadPath[];
  /** Digest of the source's options and of the limits. */
  readonly settings: string;
  /** Facts that were asked for, such as the cluster's version, with their values. */
  readonly facts: Readonly<Record<string, string>>;
}

/** The manifests of one source at one revision. Objects are shared by all callers and frozen: copy before you change. */
export interface Rendered {
  /** The commit. */
  readonly revision: string;
  /** The digest of the chart's package, or of the artifact's manifest, that was read; absent for what is in Git. */
  readonly content?: string;
  /** Empty for a source of `spec.sources` that others refer to and that gives nothing itself. */
  readonly sourceType: SourceType | '';
  readonly objects: readonly DesiredObject[];
  readonly readSet: ReadSet;
  readonly warnings: readonly Diagnosis[];
  /** Equal for equal objects of equal origin: `objects` need not be compared again. */
  readonly digest: string;
  /** `rendered` if nothing was known by what was read, as `readSet` lists it; else where it was found again. */
  readonly found: FoundAt;
  /** Where the fields of the object come from that was to be explained; absent for what no chart made. */
  readonly fields?: readonly FieldOrigin[];
  /** Present if values were generated at random or from the clock. */
  readonly generated?: {
    /** All that the objects hold. May be private keys. */
    readonly used: readonly RecordedValue[];
    /** Keys of those that were not among the recorded ones of the request. */
    readonly fresh: ReadonlySet<string>;
  };
}
