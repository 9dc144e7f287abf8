import type { Container, Pod } from '@tiphys/kube-controllers';
import type { Client, KubeObject } from '@tiphys/kubernetes';

/** What a pod needs and does not find. */
export interface MissingReferences {
  /** Why volumes can't be mounted, in the kubelet's words: no container starts. */
  volumes: string[];
  /** Why a container can't be configured, by its name. */
  containers: Map<string, string>;
}

interface Reference {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  key?: string;
  /** Keys that a volume names. */
  keys?: readonly string[];
  volume?: string;
  container?: string;
}

/** Whether there is anything that `missingReferences` would have to ask the server for. */
export function hasReferences(pod: Pod): boolean {
  return referencesOf(pod).length > 0;
}

/** Looks for the ConfigMaps and Secrets that volumes, `env` and `envFrom` need; optional ones are not asked for. */
export async function missingReferences(client: Client, pod: Pod): Promise<MissingReferences> {
  const missing: MissingReferences = { volumes: [], containers: new Map() };
  const { namespace = '' } = pod.metadata;
  const seen = new Map<string, Promise<KubeObject | undefined>>();
  for (const reference of referencesOf(pod)) {
    const { kind, name, volume, container } = reference;
    const found = seen.get(`${kind}/${name}`) ?? client.find({ apiVersion: 'v1', kind, namespace, name });
    seen.set(`${kind}/${name}`, found);
    const message = problem(await found, namespace, reference);
    if (message && volume) missing.volumes.push(`MountVolume.SetUp failed for volume "${volume}" : ${message}`);
    else if (message && container && !missing.containers.has(container)) missing.containers.set(container, message);
  }
  return missing;
}

function problem(
  object: KubeObject | undefined,
  namespace: string,
  { kind, name, key, keys = [] }: Reference,
): string | undefined {
  if (!object) return `${kind.toLowerCase()} "${name}" not found`;
  const data = { ...(object.data as object), ...(object.binaryData as object) };
  const absent = keys.find((each) => !Object.hasOwn(data, each));
  if (absent !== undefined)
    return `${kind === 'Secret' ? 'references non-existent secret' : 'configmap references non-existent config'} key: ${absent}`;
  return key === undefined || Object.hasOwn(data, key)
    ? undefined
    : `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
}

function referencesOf(pod: Pod): Reference[] {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return [...volumeReferences(pod), ...containers.flatMap(containerReferences)];
}

function volumeReferences({ spec }: Pod): Reference[] {
  return (spec.volumes ?? []).flatMap(({ name: volume, configMap, secret }): Reference[] => {
    if (configMap?.name && !configMap.optional)
      return [{ kind: 'ConfigMap', name: configMap.name, volume, ...keysOf(configMap) }];
    if (secret?.secretName && !secret.optional)
      return [{ kind: 'Secret', name: secret.secretName, volume, ...keysOf(secret) }];
    return [];
  });
}

function keysOf({ items }: { items?: { key: string }[] }): { keys?: string[] } {
  return items ? { keys: items.map(({ key }) => key) } : {};
}

function containerReferences({ name: container, env = [], envFrom = [] }: Container): Reference[] {
  const from = envFrom.flatMap(({ configMapRef, secretRef }): Reference[] => [
    ...(configMapRef?.name && !configMapRef.optional
      ? [{ kind: 'ConfigMap' as const, name: configMapRef.name, container }]
      : []),
    ...(secretRef?.name && !secretRef.optional ? [{ kind: 'Secret' as const, name: secretRef.name, container }] : []),
  ]);
  const single = env.flatMap(({ valueFrom }): Reference[] => {
    const map = valueFrom?.configMapKeyRef;
    const secret = valueFrom?.secretKeyRef;
    const reference = (kind: Reference['kind'], at: typeof map): Reference[] =>
      at?.name && !at.optional ? [{ kind, name: at.name, container, ...(at.key ? { key: at.key } : {}) }] : [];
    return [...reference('ConfigMap', map), ...reference('Secret', secret)];
  });
  return [...from, ...single];
}
