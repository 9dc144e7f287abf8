import { type KubeObject, parseApiVersion } from '@tiphys/kubernetes';
import { isObject, textAt, valueAt } from '../model/fields.ts';
import type { Health } from '../model/model.ts';
import { type Condition, conditionOf, conditionsOf, health } from './conditions.ts';

export function jobHealth(job: KubeObject): Health {
  let failed: string | undefined;
  let message = '';
  let complete = false;
  let suspended = false;
  for (const condition of conditionsOf(job)) {
    if (condition.type === 'Failed') {
      failed = condition.message;
      complete = true;
    } else if (condition.type === 'Complete' || condition.type === 'Suspended') {
      complete = true;
      message = condition.message;
      if (condition.type === 'Suspended' && condition.status === 'True') suspended = true;
    }
  }
  if (!complete) return health('Progressing', message);
  if (failed !== undefined) return health('Degraded', failed);
  return suspended ? health('Suspended') : health('Healthy', message);
}

/** Upstream's customisation of batch/CronJob, which it ships with. */
export function cronJobHealth(job: KubeObject): Health {
  if (valueAt(job, 'spec', 'suspend') === true) return health('Healthy', 'CronJob is Suspended');
  if (!isObject(job['status'])) return health('Progressing', 'Waiting for CronJob');
  const scheduled = textAt(job, 'status', 'lastScheduleTime');
  const succeeded = textAt(job, 'status', 'lastSuccessfulTime');
  if (!scheduled) return health('Healthy', 'CronJob has not been scheduled yet');
  if (!succeeded) return health('Healthy', 'The CronJob never completed successfully. It may not be healthy');
  const active = valueAt(job, 'status', 'active');
  if (Array.isArray(active) && active.length > 0) {
    return health('Healthy', 'The job is running. Its last execution may not have been successful');
  }
  return succeeded < scheduled
    ? health('Degraded', 'CronJob has not completed its last execution successfully')
    : health('Healthy', 'CronJob has completed its last execution successfully');
}

export function volumeClaimHealth(claim: KubeObject): Health {
  const phases: Record<string, Health> = {
    Lost: { status: 'Degraded' },
    Pending: { status: 'Progressing' },
    Bound: { status: 'Healthy' },
  };
  return phases[textAt(claim, 'status', 'phase')] ?? health('Unknown');
}

export function serviceHealth(service: KubeObject): Health {
  if (textAt(service, 'spec', 'type') !== 'LoadBalancer') return health('Healthy');
  return health(hasAddress(service) ? 'Healthy' : 'Progressing');
}

export function ingressHealth(ingress: KubeObject): Health {
  return health(hasAddress(ingress) ? 'Healthy' : 'Progressing');
}

function hasAddress(object: KubeObject): boolean {
  const ingress = valueAt(object, 'status', 'loadBalancer', 'ingress');
  return Array.isArray(ingress) && ingress.length > 0;
}

export function apiServiceHealth(service: KubeObject): Health {
  const available = conditionOf(service, 'Available');
  if (!available) return health('Progressing', 'Waiting to be processed');
  return health(available.status === 'True' ? 'Healthy' : 'Progressing', `${available.reason}: ${available.message}`);
}

export function workflowHealth(workflow: KubeObject): Health {
  const message = textAt(workflow, 'status', 'message');
  switch (textAt(workflow, 'status', 'phase')) {
    case '':
    case 'Pending':
    case 'Running':
      return health('Progressing', message);
    case 'Succeeded':
      return health('Healthy', message);
    case 'Failed':
    case 'Error':
      return health('Degraded', message);
    default:
      return health('Unknown', message);
  }
}

const autoscalerFailures: Readonly<Record<string, readonly string[]>> = {
  AbleToScale: ['FailedGetScale', 'FailedUpdateScale'],
  ScalingActive: [
    'FailedGetResourceMetric',
    'FailedGetObjectMetric',
    'FailedGetPodsMetric',
    'FailedGetExternalMetric',
    'FailedComputeMetricsReplicas',
    'InvalidSelector',
  ],
};

export function autoscalerHealth(autoscaler: KubeObject): Health {
  const waiting = health('Progressing', 'Waiting to Autoscale');
  const found = autoscalerConditions(autoscaler);
  if (!Array.isArray(found)) return found ?? waiting;
  const failed = found.find(({ type, reason }) => autoscalerFailures[type]?.includes(reason));
  if (failed) return health('Degraded', failed.message);
  const able = found.find(
    ({ type, status }) => (type === 'AbleToScale' || type === 'ScalingLimited') && status === 'True',
  );
  return able ? health('Healthy', able.message) : waiting;
}

/** In v1 the conditions are JSON in an annotation. */
function autoscalerConditions(autoscaler: KubeObject): Condition[] | Health | undefined {
  if (parseApiVersion(autoscaler.apiVersion).version !== 'v1') return conditionsOf(autoscaler);
  const text = autoscaler.metadata.annotations?.['autoscaling.alpha.kubernetes.io/conditions'];
  if (text === undefined) return undefined;
  try {
    const conditions: unknown = JSON.parse(text);
    return conditionsOf({ ...autoscaler, status: { conditions } });
  } catch (error) {
    return health('Unknown', `failed to convert conditions annotation to typed: ${(error as Error).message}`);
  }
}
