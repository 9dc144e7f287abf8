import type { FieldErrors } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { oneOf } from '../shared/field-rules.ts';
import { type Metric, validateMetric, validateReference } from './autoscaler-metrics.ts';

interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type: string; value: number; periodSeconds: number }[];
}

export interface AutoscalerSpec {
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: Metric[];
  scaleTargetRef?: { apiVersion?: string; kind?: string; name?: string };
  behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
}

export function validateAutoscaler(object: KubeObject, errors: FieldErrors): void {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = object.spec as AutoscalerSpec;
  if (minReplicas < 1) errors.invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1');
  if (maxReplicas < 1) errors.invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0');
  if (maxReplicas < minReplicas)
    errors.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`');
  validateReference(scaleTargetRef, 'spec.scaleTargetRef', errors);
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
