import type { ApplicationSource } from '@tiphys/api';
import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { FlagError } from '@tiphys/helm';
import { type BuildFlags, type KustomizationEdits, parseBuildFlags } from '@tiphys/kustomize';
import { kustomizeOptionInvalid } from '../request/diagnoses.ts';
import { registeredVersion } from '../request/kustomize-versions.ts';
import type { RenderRequest } from '../request/rendered.ts';

/** What an application's options and the settings make of a build: plain data, as it is part of the settings' digest. */
export interface KustomizeInvocation {
  readonly edits: KustomizationEdits;
  readonly components: readonly string[];
  readonly ignoreMissingComponents: boolean;
  readonly enableHelm: boolean;
  readonly loadRestrictions: 'rootOnly' | 'none';
  readonly reorder?: 'legacy' | 'none';
  readonly managedByLabel: boolean;
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  /** Functions and plugins that are programs, if the operator lets them run. */
  readonly programs?: NonNullable<BuildFlags['programs']>;
  /** A kustomize of another version that is to be run in the place of the built-in one. */
  readonly binary?: { readonly version: string; readonly path: string; readonly options: readonly string[] };
}

type Options = NonNullable<ApplicationSource['kustomize']>;

/**
 * Reads the options of a source and the build options of the settings. `substitute` puts the build environment into images,
 * labels and, if it is asked for, annotations.
 */
export function kustomizeInvocation(request: RenderRequest, substitute: (text: string) => string): KustomizeInvocation {
  const options = request.source.kustomize ?? {};
  const version = options.version ? registeredVersion(options.version, request.kustomizeVersions ?? {}) : undefined;
  const text = version?.buildOptions ?? request.kustomizeBuildOptions ?? '';
  const common = {
    edits: editsOf(options, substitute),
    components: options.components ?? [],
    ignoreMissingComponents: options.ignoreMissingComponents ?? false,
  };
  const { kubeVersion } = options.kubeVersion ? { kubeVersion: options.kubeVersion } : kubeVersionOf(request);
  const apiVersions = options.apiVersions ?? request.cluster?.apiVersions ?? [];
  if (version && options.version) {
    const helm = text.includes('--enable-helm')
      ? [
          ...(kubeVersion ? ['--helm-kube-version', kubeVersion] : []),
          ...apiVersions.flatMap((one) => ['--helm-api-versions', one]),
        ]
      : [];
    const words = text.split(/\s+/).filter((word) => word !== '');
    const binary = { version: options.version, path: version.path, options: [...words, ...helm] };
    return {
      ...common,
      enableHelm: false,
      loadRestrictions: 'rootOnly',
      managedByLabel: false,
      apiVersions: [],
      binary,
    };
  }
  const flags = readBuildOptions(text);
  const { enableHelm, loadRestrictions, reorder, managedByLabel, programs, helmKubeVersion, helmApiVersions } = flags;
  const kube = kubeVersion || helmKubeVersion;
  return {
    ...common,
    enableHelm,
    loadRestrictions,
    managedByLabel,
    ...(reorder ? { reorder } : {}),
    ...(kube ? { kubeVersion: kube } : {}),
    apiVersions: [...helmApiVersions, ...apiVersions],
    ...(programs ? { programs } : {}),
  };
}

function kubeVersionOf({ cluster }: RenderRequest): { kubeVersion?: string } {
  return cluster?.kubeVersion ? { kubeVersion: cluster.kubeVersion } : {};
}

function editsOf(options: Options, substitute: (text: string) => string): KustomizationEdits {
  const annotations = new Map(Object.entries(options.commonAnnotations ?? {}));
  if (options.commonAnnotationsEnvsubst)
    for (const [key, value] of annotations) annotations.set(key, substitute(value));
  const labels = new Map(Object.entries(options.commonLabels ?? {}).map(([key, value]) => [key, substitute(value)]));
  return {
    field: 'spec.source.kustomize',
    ...(options.namePrefix ? { namePrefix: options.namePrefix } : {}),
    ...(options.nameSuffix ? { nameSuffix: options.nameSuffix } : {}),
    ...(options.namespace ? { namespace: options.namespace } : {}),
    images: (options.images ?? []).map(substitute),
    replicas: (options.replicas ?? []).map(({ name, count }) => ({ name, count: countOf(name, count) })),
    labels,
    labelOptions: {
      force: options.forceCommonLabels ?? false,
      withoutSelector: options.labelWithoutSelector ?? false,
      includeTemplates: options.labelIncludeTemplates ?? false,
    },
    annotations,
    forceAnnotations: options.forceCommonAnnotations ?? false,
    patches: (options.patches ?? []).map((patch) => ({
      ...(patch.path ? { path: patch.path } : {}),
      ...(patch.patch ? { patch: patch.patch } : {}),
      ...(patch.target ? { target: patch.target } : {}),
      ...(patch.options ? { options: patch.options } : {}),
    })),
  };
}

function countOf(name: string, count: number | string): number {
  const number = Number(count);
  if (Number.isInteger(number) && String(count).trim() !== '') return number;
  throw failure(kustomizeOptionInvalid, {
    message: `The replicas of ${name} are ${JSON.stringify(count)}, which is no number`,
    place: { field: 'spec.source.kustomize.replicas' },
    remedies: ['Set count to a whole number'],
  });
}

/** The flags that an operator set. Throws for those that make no sense here. */
function readBuildOptions(text: string): BuildFlags {
  let flags: BuildFlags;
  try {
    flags = parseBuildFlags(text.split(/\s+/).filter((word) => word !== ''));
  } catch (error) {
    if (error instanceof FlagError) throw refusedOptions(text, error.message);
    throw error;
  }
  if (flags.output !== '') throw refusedOptions(text, '--output leaves nothing for the application');
  if (flags.help || flags.explain) throw refusedOptions(text, 'the flag prints no manifests');
  if (flags.path !== '.') throw refusedOptions(text, `${flags.path} is no flag: the folder is that of the application`);
  return flags;
}

function refusedOptions(text: string, why: string): DiagnosisError {
  return failure(kustomizeOptionInvalid, {
    message: `The build options of Kustomize can not be used: ${why}`,
    place: { object: 'ConfigMap argocd-cm', field: 'kustomize.buildOptions' },
    evidence: { 'build options': text },
    remedies: ['Keep to flags of `kustomize build` 5.8 other than --output'],
  });
}

/** The invocation as JSON can say it, for a digest. */
export function plainInvocation({ edits, ...rest }: KustomizeInvocation): object {
  const plain = Object.entries(edits).map(([key, value]) => [
    key,
    value instanceof Map ? [...value] : (value as unknown),
  ]);
  return { ...rest, edits: Object.fromEntries(plain) as object };
}
