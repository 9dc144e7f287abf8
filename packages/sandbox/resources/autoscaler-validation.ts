import type { KubeObject } from '@tiphys/kubernetes';
import type { FieldErrors } from '../server/field-errors.ts';
import { oneOf } from './field-rules.ts';

interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type: string; value: number; periodSeconds: number }[];
}

interface Target {
  type?: string;
  averageUtilization?: number;
}

interface Metric {
  type: string;
  [source: string]: string | { name?: string; target?: Target } | undefined;
}

export interface AutoscalerSpec {
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: Metric[];
  scaleTargetRef?: { apiVersion?: string; kind?: string; name?: string };
  behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
}

const SOURCES: Record<string, string> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

export function validateAutoscaler(object: KubeObject, errors: FieldErrors): void {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = object.spec as AutoscalerSpec;
  if (minReplicas < 1) errors.invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1');
  if (maxReplicas < 1) errors.invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0');
  if (maxReplicas < minReplicas)
    errors.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`');
  if (!scaleTargetRef?.kind) errors.required('spec.scaleTargetRef.kind');
  if (!scaleTargetRef?.name) errors.required('spec.scaleTargetRef.name');
  if (!scaleTargetRef?.apiVersion)
    errors.invalid('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group');
  metrics.forEach((metric, index) => {
    validateMetric(metric, `spec.metrics[${index}]`, errors);
  });
  if (minReplicas === 0 && metrics.length && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
    errors.forbidden(
      'spec.metrics',
      'must specify at least one Object or External metric to support scaling to zero replicas',
    );
  validateRules(behavior?.scaleUp, 'spec.behavior.scaleUp', errors);
  validateRules(behavior?.scaleDown, 'spec.behavior.scaleDown', errors);
}

function validateMetric(metric: Metric, at: string, errors: FieldErrors): void {
  const source = SOURCES[metric.type];
  if (!source) {
    errors.notSupported(`${at}.type`, metric.type, Object.keys(SOURCES));
    return;
  }
  const value = metric[source] as { target?: Target } | undefined;
  if (!value) errors.required(`${at}.${source}`, 'must populate information for the given metric source');
  const utilization = value?.target?.averageUtilization;
  if (utilization !== undefined && utilization < 1)
    errors.invalid(`${at}.${source}.target.averageUtilization`, utilization, 'must be greater than 0');
}

function validateRules(rules: ScalingRules | undefined, at: string, errors: FieldErrors): void {
  if (!rules) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = rules;
  if (window !== undefined && window < 0)
    errors.invalid(`${at}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero');
  if (window !== undefined && window > 3600)
    errors.invalid(`${at}.stabilizationWindowSeconds`, window, 'must be less than or equal to 3600');
  oneOf(selectPolicy, ['Disabled', 'Max', 'Min'], `${at}.selectPolicy`, errors);
  if (!policies.length) errors.required(`${at}.policies`, 'must specify at least one Policy');
  policies.forEach(({ type, value, periodSeconds }, index) => {
    const here = `${at}.policies[${index}]`;
    oneOf(type, ['Percent', 'Pods'], `${here}.type`, errors);
    if (value <= 0) errors.invalid(`${here}.value`, value, 'must be greater than zero');
    if (periodSeconds <= 0) errors.invalid(`${here}.periodSeconds`, periodSeconds, 'must be greater than zero');
    if (periodSeconds > 1800)
      errors.invalid(`${here}.periodSeconds`, periodSeconds, 'must be less than or equal to 1800');
  });
}
