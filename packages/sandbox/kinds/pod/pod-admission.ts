import { isDeepStrictEqual } from 'node:util';
import { forbidden, generateName, isPathSegment, type ServerContext, StatusError } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { PodObject, PodSpec } from '../shared/shapes.ts';
import { isMirrorPod, podReferences, volumesOf } from './pod-references.ts';

/** What the default admission plugins do to a new pod: service account, runtime class, priority, tolerations. */
export function admitPod(object: KubeObject, { server }: { readonly server: ServerContext }): void {
  const pod = object as PodObject;
  admitServiceAccount(pod, server);
  admitPriority(pod, server);
  admitTolerations(pod.spec);
  admitRuntimeClass(pod, server);
}

function refuse(pod: PodObject, why: string) {
  return forbidden({ group: '', name: 'pods' }, pod.metadata.name || pod.metadata.generateName || '', why);
}

/** The ServiceAccount admission: the account, its image pull secrets and its token's volume. Mirror pods have none. */
export function admitServiceAccount(pod: PodObject, server: ServerContext): void {
  const { spec } = pod;
  if (isMirrorPod(pod)) {
    restrictMirrorPod(pod);
    return;
  }
  spec.serviceAccountName ||= 'default';
  spec.serviceAccount = spec.serviceAccountName;
  const name = spec.serviceAccountName;
  const account = server.store.collection('serviceaccounts').get(`${pod.metadata.namespace}/${name}`)?.object as
    | (KubeObject & { automountServiceAccountToken?: boolean; imagePullSecrets?: { name: string }[] })
    | undefined;
  if (!account)
    throw refuse(
      pod,
      `error looking up service account ${pod.metadata.namespace}/${name}: ${isPathSegment(name).length ? `invalid resource name ${JSON.stringify(name)}: [${isPathSegment(name)}]` : `serviceaccount ${JSON.stringify(name)} not found`}`,
    );
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
    spec.imagePullSecrets = account.imagePullSecrets;
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
}

function restrictMirrorPod(pod: PodObject): void {
  if (pod.spec.serviceAccountName) throw refuse(pod, 'a mirror pod may not reference service accounts');
  if (podReferences(pod).secrets.size) throw refuse(pod, 'a mirror pod may not reference secrets');
  for (const { projected } of volumesOf(pod))
    if (projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken))
      throw refuse(pod, 'a mirror pod may not use ServiceAccountToken volume projections');
}

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

function mountToken(spec: PodSpec): void {
  const present = spec.volumes?.find(({ name }) => name.startsWith('kube-api-access-'))?.name;
  const volume = present ?? generateName('kube-api-access-');
  let used = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name: volume, readOnly: true, mountPath: MOUNT_PATH },
    ];
    used = true;
  }
  if (!used || present) return;
  const token = { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } };
  const ca = { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } };
  const namespace = {
    downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
  };
  spec.volumes = [
    ...(spec.volumes ?? []),
    { name: volume, projected: { sources: [token, ca, namespace], defaultMode: 420 } },
  ];
}

interface PriorityClass extends KubeObject {
  value: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

function admitPriority(pod: PodObject, server: ServerContext): void {
  const { spec } = pod;
  const classes = server.store.collection('scheduling.k8s.io/priorityclasses');
  let chosen: PriorityClass | undefined;
  if (spec.priorityClassName) {
    chosen = classes.get(spec.priorityClassName)?.object as PriorityClass | undefined;
    if (!chosen) throw refuse(pod, `no PriorityClass with name ${spec.priorityClassName} was found`);
  } else {
    for (const key of classes.keys()) {
      const candidate = classes.objectOf(key) as PriorityClass;
      if (candidate.globalDefault && (!chosen || candidate.value < chosen.value)) chosen = candidate;
    }
    if (chosen?.metadata.name) spec.priorityClassName = chosen.metadata.name;
  }
  const priority = chosen?.value ?? 0;
  if (spec.priority !== undefined && spec.priority !== priority)
    throw refuse(
      pod,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  spec.priority = priority;
  const policy = chosen?.preemptionPolicy ?? 'PreemptLowerPriority';
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse(
      pod,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  spec.preemptionPolicy = policy;
}

/** Of new pods and changed ones: for how long they stay on a node that is lost. */
export function admitTolerations(spec: PodSpec): void {
  const tolerations = [...(spec.tolerations ?? [])];
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])
    if (
      !tolerations.some(
        (toleration) =>
          (toleration.key === key || !toleration.key) && (toleration.effect === 'NoExecute' || !toleration.effect),
      )
    )
      tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  spec.tolerations = tolerations;
}

/** Overhead comes from RuntimeClasses alone; that is looked at when all else is right. */
export function refuseOverhead(pod: PodObject): void {
  const { overhead, runtimeClassName } = pod.spec as coreV1.PodSpec;
  if (overhead && !runtimeClassName)
    throw refuse(pod, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
}

function admitRuntimeClass(pod: PodObject, server: ServerContext): void {
  const spec = pod.spec as PodSpec & {
    runtimeClassName?: string;
    overhead?: Record<string, string>;
    nodeSelector?: Record<string, string>;
  };
  const fail = (why: string) => refuse(pod, `pod rejected: ${why}`);
  if (spec.runtimeClassName === undefined) return;
  if (spec.runtimeClassName === '') throw new StatusError(500, '', 'resource name may not be empty');
  const [problem] = isPathSegment(spec.runtimeClassName);
  if (problem)
    throw new StatusError(500, '', `invalid resource name ${JSON.stringify(spec.runtimeClassName)}: [${problem}]`);
  const found = server.store.collection('node.k8s.io/runtimeclasses').get(spec.runtimeClassName)?.object as
    | (KubeObject & {
        overhead?: { podFixed?: Record<string, string> };
        scheduling?: { nodeSelector?: Record<string, string>; tolerations?: NonNullable<PodSpec['tolerations']> };
      })
    | undefined;
  if (!found) throw fail(`RuntimeClass ${JSON.stringify(spec.runtimeClassName)} not found`);
  const fixed = found.overhead?.podFixed;
  if (spec.overhead && !isDeepStrictEqual(spec.overhead, fixed))
    throw fail("Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  if (fixed) spec.overhead = fixed;
  const { nodeSelector, tolerations } = found.scheduling ?? {};
  for (const [key, value] of Object.entries(nodeSelector ?? {}))
    if (spec.nodeSelector?.[key] !== undefined && spec.nodeSelector[key] !== value)
      throw fail(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${spec.nodeSelector[key]}`,
      );
  if (nodeSelector) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  for (const toleration of tolerations ?? [])
    if (!spec.tolerations?.some((other) => isDeepStrictEqual(other, toleration)))
      spec.tolerations = [...(spec.tolerations ?? []), toleration];
}
