import type { coreV1 } from '@tiphys/kubernetes';
import type { Container, HttpGet, PodSpec, Probe, Volume } from '../shared/shapes.ts';

/** Fills what a PodSpec leaves open, in pods and templates alike, as the API server does. */
export function defaultPodSpec(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ])
    defaultContainer(container);
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  // The old name mirrors the new one.
  if (spec.serviceAccountName ?? spec.serviceAccount) {
    spec.serviceAccountName ??= spec.serviceAccount as string;
    spec.serviceAccount = spec.serviceAccountName;
  }
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
}

function defaultContainer(container: Container): void {
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  container.imagePullPolicy ??= pullPolicy(container.image ?? '');
  for (const port of container.ports ?? []) port.protocol ??= 'TCP';
  for (const { valueFrom } of container.env ?? []) if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= 'v1';
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
    if (probe) defaultProbe(probe);
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop])
    if (handler?.httpGet) defaultHttpGet(handler.httpGet);
}

function defaultProbe(probe: Probe): void {
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
}

function defaultHttpGet(get: HttpGet): void {
  get.path ??= '/';
  get.scheme ??= 'HTTP';
}

const REFERENCE =
  /^([A-Za-z0-9.-]+(:\d+)?\/)?[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*(:\w[\w.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,})?$/;

const MAX_NAME = 255;

/** The name of the repository with its host. */
function fullName(image: string): string {
  const name = image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
  const [first = ''] = name.split('/');
  if (name.includes('/') && /[.:A-Z]|^localhost$/.test(first)) return name;
  return name.includes('/') ? `docker.io/${name}` : `docker.io/library/${name}`;
}

/** `latest` and no tag are always pulled; a digest or another tag only when absent. */
function pullPolicy(image: string): string {
  // What is no reference has no tag.
  if (!REFERENCE.test(image) || fullName(image).length > MAX_NAME) return 'IfNotPresent';
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  const tag = name.split(':')[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

interface FileMode {
  defaultMode?: number;
  items?: { fieldRef?: { apiVersion?: string } }[];
  sources?: { serviceAccountToken?: { expirationSeconds?: number }; downwardAPI?: FileMode }[];
}

function defaultVolume(volume: Volume): void {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const files = volume[source] as FileMode | undefined;
    if (!files) continue;
    files.defaultMode ??= 420;
    for (const item of files.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ??= 'v1';
    for (const projected of files.sources ?? []) {
      if (projected.serviceAccountToken) projected.serviceAccountToken.expirationSeconds ??= 3600;
      for (const item of projected.downwardAPI?.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ??= 'v1';
    }
  }
  const hostPath = volume.hostPath as coreV1.HostPathVolumeSource | undefined;
  if (hostPath) hostPath.type ??= '';
  const iscsi = volume.iscsi as coreV1.ISCSIVolumeSource | undefined;
  if (iscsi) iscsi.iscsiInterface ??= 'default';
  const rbd = volume.rbd as coreV1.RBDVolumeSource | undefined;
  if (rbd) {
    rbd.pool ??= 'rbd';
    rbd.user ??= 'admin';
    rbd.keyring ??= '/etc/ceph/keyring';
  }
  const disk = volume.azureDisk as
    | { cachingMode?: string; kind?: string; fsType?: string; readOnly?: boolean }
    | undefined;
  if (disk) {
    disk.cachingMode ??= 'ReadWrite';
    disk.kind ??= 'Shared';
    disk.fsType ??= 'ext4';
    disk.readOnly ??= false;
  }
  const scale = volume.scaleIO as coreV1.ScaleIOVolumeSource | undefined;
  if (scale) {
    scale.storageMode ??= 'ThinProvisioned';
    scale.fsType ??= 'xfs';
  }
  const ephemeral = volume.ephemeral as coreV1.EphemeralVolumeSource | undefined;
  if (ephemeral?.volumeClaimTemplate?.spec) ephemeral.volumeClaimTemplate.spec.volumeMode ??= 'Filesystem';
}
