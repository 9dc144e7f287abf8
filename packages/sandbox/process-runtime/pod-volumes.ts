import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Container, Pod } from '@tiphys/kube-controllers';
import type { Client } from '@tiphys/kubernetes';
import { dataOf } from './container-environment.ts';
import { type FieldRef, podField, type ResourceFieldRef, resourceField } from './pod-fields.ts';

interface KeyedSource {
  name?: string;
  secretName?: string;
  items?: { key: string; path: string; mode?: number }[];
  defaultMode?: number;
}

interface DownwardSource {
  items?: { path: string; fieldRef?: FieldRef; resourceFieldRef?: ResourceFieldRef; mode?: number }[];
}

interface TokenSource {
  path: string;
  audience?: string;
  expirationSeconds?: number;
}

interface PodVolume {
  name: string;
  configMap?: KeyedSource;
  secret?: KeyedSource;
  emptyDir?: object;
  downwardAPI?: DownwardSource;
  projected?: {
    sources?: {
      configMap?: KeyedSource;
      secret?: KeyedSource;
      downwardAPI?: DownwardSource;
      serviceAccountToken?: TokenSource;
    }[];
    defaultMode?: number;
  };
  hostPath?: { path: string };
  persistentVolumeClaim?: { claimName: string };
  ephemeral?: object;
}

interface File {
  path: string;
  content: Buffer;
  mode: number | undefined;
}

export interface VolumeOptions {
  readonly client: Client;
  /** Folder of the pod. */
  readonly folder: string;
  /** Folder of all claims: they outlive pods. */
  readonly claims: string;
}

/**
 * Makes a pod's volumes as folders and links them below `root` where the container mounts them. Throws for kinds of
 * volumes that no folder can be.
 */
export async function mountVolumes(
  pod: Pod,
  container: Container,
  root: string,
  options: VolumeOptions,
): Promise<void> {
  const volumes = (pod.spec.volumes ?? []) as PodVolume[];
  // as container runtimes do: what lies in another mount comes behind it
  const depth = ({ mountPath }: { mountPath: string }) => normalize(mountPath).split('/').filter(Boolean).length;
  const mounts = (container.volumeMounts ?? []).toSorted((a, b) => depth(a) - depth(b));
  for (const { name, mountPath, subPath = '' } of mounts) {
    const volume = volumes.find((candidate) => candidate.name === name);
    if (!volume) throw new Error(`volume ${name} of mount ${mountPath} is not in the pod`);
    const folder = await volumeFolder(pod, container, volume, options);
    const source = subPath ? join(folder, contained(subPath)) : folder;
    // it may be a file, which another container left there
    if (subPath && isFolder(volume) && !existsSync(source)) mkdirSync(source, { recursive: true });
    const target = join(root, mountPath);
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { recursive: true, force: true });
    symlinkSync(source, target);
  }
}

const isFolder = ({ emptyDir, persistentVolumeClaim, ephemeral }: PodVolume) =>
  emptyDir || persistentVolumeClaim || ephemeral;

async function volumeFolder(
  pod: Pod,
  container: Container,
  volume: PodVolume,
  options: VolumeOptions,
): Promise<string> {
  const { namespace = '', name: podName } = pod.metadata;
  if (volume.hostPath) return volume.hostPath.path;
  const claim = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${podName}-${volume.name}` : undefined);
  const folder = claim ? join(options.claims, namespace, claim) : join(options.folder, 'volumes', volume.name);
  mkdirSync(folder, { recursive: true });
  if (claim || volume.emptyDir) return folder;
  for (const { path, content, mode } of await filesOf(pod, container, volume, options.client)) {
    const file = join(folder, contained(path));
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(file, content);
    chmodSync(file, mode ?? 0o644);
  }
  return folder;
}

async function filesOf(pod: Pod, container: Container, volume: PodVolume, client: Client): Promise<File[]> {
  const { namespace = '' } = pod.metadata;
  if (volume.configMap) return keyed(client, 'ConfigMap', namespace, volume.configMap);
  if (volume.secret) return keyed(client, 'Secret', namespace, volume.secret);
  if (volume.downwardAPI) return downward(pod, container, volume.downwardAPI);
  if (!volume.projected) {
    const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'nothing';
    throw new Error(
      `volume ${volume.name} is ${kind}, which the process runtime cannot mount: use emptyDir or a claim`,
    );
  }
  const files = await Promise.all(
    (volume.projected.sources ?? []).map(async (source): Promise<File[]> => {
      if (source.configMap) return keyed(client, 'ConfigMap', namespace, source.configMap);
      if (source.secret) return keyed(client, 'Secret', namespace, source.secret);
      if (source.downwardAPI) return downward(pod, container, source.downwardAPI);
      if (source.serviceAccountToken) return [await token(client, pod, source.serviceAccountToken)];
      return [];
    }),
  );
  return files.flat();
}

async function keyed(
  client: Client,
  kind: 'ConfigMap' | 'Secret',
  namespace: string,
  source: KeyedSource,
): Promise<File[]> {
  const data = await dataOf(client, { kind, namespace, name: source.secretName ?? source.name ?? '' });
  const items = source.items ?? Object.keys(data).map((key) => ({ key, path: key, mode: undefined }));
  return items.flatMap(({ key, path, mode }) => {
    const content = data[key];
    return content ? [{ path, content, mode: mode ?? source.defaultMode }] : [];
  });
}

function downward(pod: Pod, container: Container, { items = [] }: DownwardSource): File[] {
  return items.map(({ path, fieldRef, resourceFieldRef, mode }) => ({
    path,
    mode,
    content: Buffer.from(
      fieldRef ? podField(pod, fieldRef) : resourceFieldRef ? resourceField(pod, container, resourceFieldRef) : '',
    ),
  }));
}

async function token(
  client: Client,
  pod: Pod,
  { path, audience, expirationSeconds = 3600 }: TokenSource,
): Promise<File> {
  const { namespace, name, uid } = pod.metadata;
  const account = pod.spec.serviceAccountName ?? 'default';
  const answer = await client.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, {
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: audience ? [audience] : [],
        expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    },
  });
  const { status } = (await answer.json()) as { status?: { token?: string } };
  if (!status?.token)
    throw new Error(`no token of service account ${namespace}/${account}: the server answered ${answer.status}`);
  return { path, content: Buffer.from(status.token), mode: 0o600 };
}

/** A relative path that stays below its folder; throws for others. */
function contained(path: string): string {
  const clean = normalize(path);
  if (clean.startsWith('..') || clean.startsWith('/'))
    throw new Error(`path ${JSON.stringify(path)} leads out of its volume`);
  return clean;
}
