import { type KubeObject, parseApiVersion } from '@tiphys/kubernetes';
import { hookFinalizer } from '../model/annotations.ts';
import type { Health, HealthCode } from '../model/model.ts';
import { bundledHealth } from './bundled/bundled-health.ts';
import {
  apiServiceHealth,
  autoscalerHealth,
  ingressHealth,
  jobHealth,
  serviceHealth,
  volumeClaimHealth,
  workflowHealth,
} from './other-health.ts';
import { podHealth } from './pod-health.ts';
import { daemonSetHealth, deploymentHealth, replicaSetHealth, statefulSetHealth } from './workload-health.ts';

export interface HealthContext {
  /** Health by the settings: null where they have a check for the kind that says nothing, undefined where they have none. */
  readonly custom?: (object: KubeObject) => Health | null | undefined;
}

type Check = { versions?: readonly string[]; assess: (object: KubeObject) => Health };

const checks: Readonly<Record<string, Check>> = {
  'apps/Deployment': { versions: ['v1'], assess: deploymentHealth },
  'apps/StatefulSet': { versions: ['v1'], assess: statefulSetHealth },
  'apps/ReplicaSet': { versions: ['v1'], assess: replicaSetHealth },
  'apps/DaemonSet': { versions: ['v1'], assess: daemonSetHealth },
  'extensions/Ingress': { assess: ingressHealth },
  'networking.k8s.io/Ingress': { assess: ingressHealth },
  'argoproj.io/Workflow': { assess: workflowHealth },
  'apiregistration.k8s.io/APIService': { versions: ['v1', 'v1beta1'], assess: apiServiceHealth },
  '/Service': { versions: ['v1'], assess: serviceHealth },
  '/PersistentVolumeClaim': { versions: ['v1'], assess: volumeClaimHealth },
  '/Pod': { versions: ['v1'], assess: podHealth },
  'batch/Job': { versions: ['v1'], assess: jobHealth },
  'autoscaling/HorizontalPodAutoscaler': { versions: ['v1', 'v2'], assess: autoscalerHealth },
};

/**
 * Health of a live object by the settings, else by the checks of well-known kinds, else by upstream's built-in rules, with
 * its messages; undefined for kinds that have none.
 * Whatever is being deleted is Progressing, unless a hook's finalizer holds it.
 */
export function healthOf(object: KubeObject, context: HealthContext = {}): Health | undefined {
  const { metadata } = object;
  if (metadata.deletionTimestamp && !metadata.finalizers?.includes(hookFinalizer)) {
    return { status: 'Progressing', message: 'Pending deletion' };
  }
  const custom = context.custom?.(object);
  if (custom !== undefined) return custom ?? undefined;
  const { group, version } = parseApiVersion(object.apiVersion);
  const bundled = bundledHealth(group, object.kind);
  if (bundled) return bundled(object);
  const check = checks[`${group}/${object.kind}`];
  if (!check) return undefined;
  if (check.versions && !check.versions.includes(version)) {
    const kind = object.kind === 'HorizontalPodAutoscaler' ? 'HPA' : object.kind;
    return { status: 'Unknown', message: `unsupported ${kind} GVK: ${object.apiVersion}, Kind=${object.kind}` };
  }
  return check.assess(object);
}

/** Best first. */
const order: readonly HealthCode[] = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'];

export function isWorse(current: HealthCode, other: HealthCode): boolean {
  return order.indexOf(other) > order.indexOf(current);
}
