import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { PodObject, Volume } from '../shared/shapes.ts';

/** Which objects of its namespace a pod names: what its node may read. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly volumeClaims: ReadonlySet<string>;
  readonly resourceClaims: ReadonlySet<string>;
}

interface Named {
  name?: string;
}

interface Source {
  secretRef?: Named;
  configMapRef?: Named;
}

interface EnvironmentSource {
  valueFrom?: { secretKeyRef?: Named; configMapKeyRef?: Named };
}

export interface VolumeSources {
  secret?: { secretName?: string };
  configMap?: Named;
  azureFile?: { secretName?: string };
  csi?: { driver?: string; nodePublishSecretRef?: Named };
  projected?: { sources?: Projection[] | null };
  persistentVolumeClaim?: { claimName?: string };
  ephemeral?: { volumeClaimTemplate?: object };
}

interface Projection {
  secret?: Named;
  configMap?: Named;
  serviceAccountToken?: { audience?: string };
  clusterTrustBundle?: object;
  podCertificate?: object;
  downwardAPI?: object;
}

interface ResourceClaims {
  spec: { resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[] };
  status?: {
    resourceClaimStatuses?: { name: string; resourceClaimName?: string }[];
    extendedResourceClaimStatus?: { resourceClaimName?: string };
  };
}

/** The annotation of pods that stand for those which a kubelet runs from files. */
export const MIRROR_POD = 'kubernetes.io/config.mirror';

export function isMirrorPod({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[MIRROR_POD] !== undefined;
}

/** Volumes whose secret is that of a `secretRef`. */
const WITH_SECRET = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const;

export function podReferences(pod: PodObject): PodReferences {
  const volumes = volumesOf(pod);
  const names = (all: readonly (string | undefined)[]) => new Set(all.filter((name): name is string => !!name));
  return {
    secrets: names([
      ...(pod.spec.imagePullSecrets ?? []).map(({ name }) => name),
      ...environment(
        pod,
        ({ secretRef }) => secretRef,
        ({ valueFrom }) => valueFrom?.secretKeyRef,
      ),
      ...volumes.flatMap(secretsOfVolume),
    ]),
    configMaps: names([
      ...environment(
        pod,
        ({ configMapRef }) => configMapRef,
        ({ valueFrom }) => valueFrom?.configMapKeyRef,
      ),
      ...volumes.flatMap(({ configMap, projected }) => [
        configMap?.name,
        ...(projected?.sources ?? []).map((source) => source.configMap?.name),
      ]),
    ]),
    volumeClaims: names(volumes.map((volume) => claimOfVolume(pod, volume))),
    resourceClaims: names(resourceClaims(pod as PodObject & ResourceClaims)),
  };
}

export function volumesOf({ spec }: PodObject): (Volume & VolumeSources)[] {
  return spec.volumes ?? [];
}

/** The claim that a volume is of, which is made for the pod where the volume is ephemeral. */
export function claimOfVolume(pod: KubeObject, { name, persistentVolumeClaim, ephemeral }: Volume & VolumeSources) {
  return persistentVolumeClaim?.claimName ?? (ephemeral ? `${pod.metadata.name}-${name}` : undefined);
}

function environment(
  { spec }: PodObject,
  all: (source: Source) => Named | undefined,
  one: (variable: EnvironmentSource) => Named | undefined,
): (string | undefined)[] {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  return containers.flatMap((container) => {
    const { env = [], envFrom = [] } = container as coreV1.Container;
    return [...envFrom.map((source) => all(source)?.name), ...env.map((variable) => one(variable)?.name)];
  });
}

function secretsOfVolume(volume: Volume & VolumeSources): (string | undefined)[] {
  const { secret, azureFile, csi, projected } = volume;
  return [
    secret?.secretName,
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...WITH_SECRET.map((type) => (volume[type] as { secretRef?: Named } | undefined)?.secretRef?.name),
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}

function resourceClaims({ spec, status = {} }: ResourceClaims): (string | undefined)[] {
  const made = new Map(status.resourceClaimStatuses?.map(({ name, resourceClaimName }) => [name, resourceClaimName]));
  return [
    ...(spec.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName ?? made.get(name)),
    status.extendedResourceClaimStatus?.resourceClaimName,
  ];
}

const HARMLESS = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

/** What of the API a pod depends on besides its own object, in the API server's words; undefined for nothing. */
export function dependsOnApi(pod: PodObject): string | undefined {
  const { secrets, configMaps } = podReferences(pod);
  if (pod.spec.serviceAccountName) return 'serviceaccounts';
  if (secrets.size) return 'secrets';
  if (configMaps.size) return 'configmaps';
  if ((pod as PodObject & ResourceClaims).spec.resourceClaims?.length) return 'resourceclaims';
  for (const volume of volumesOf(pod)) {
    const found = volumeDependsOn(volume);
    if (found) return found;
  }
  return undefined;
}

function volumeDependsOn(volume: Volume & VolumeSources): string | undefined {
  if (HARMLESS.some((type) => volume[type])) return undefined;
  if (volume.configMap) return 'configmaps (via configmap volumes)';
  if (volume.secret) return 'secrets (via secret volumes)';
  if (volume.csi) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim) return 'persistentvolumeclaims';
  if (volume.ephemeral) return 'persistentvolumeclaims (via ephemeral volumes)';
  if (volume.azureFile) return 'secrets (via azureFile volumes)';
  for (const source of volume.projected?.sources ?? []) {
    if (source.configMap) return 'configmaps (via projected volumes)';
    if (source.secret) return 'secrets (via projected volumes)';
    if (source.serviceAccountToken) return 'serviceaccounts (via projected volumes)';
    if (source.clusterTrustBundle) return 'clustertrustbundles';
    if (source.podCertificate) return 'podcertificates';
  }
  return undefined;
}
