import type { Strategy } from '@tiphys/apimachinery';
import type { autoscalingV1, autoscalingV2, KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt, numberAt, shortList, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { validateNonNegative } from '../shared/field-rules.ts';
import { drop, mapAt } from '../shared/gates.ts';
import { type AutoscalerSpec, validateAutoscaler } from './autoscaler-validation.ts';

const SOURCES: Record<string, string> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

export function metricsText(o: KubeObject): string {
  const current = listAt(o, 'status.currentMetrics');
  const all = listAt(o, 'spec.metrics').map((metric, index) => {
    const source = SOURCES[textAt(metric, 'type')] ?? '';
    const target = at(metric, `${source}.target`);
    const now = at(current[index], `${source}.current`);
    const resource = source === 'resource' || source === 'containerResource';
    const prefix = resource ? `${textAt(metric, `${source}.name`)}: ` : '';
    if (at(target, 'averageValue') !== undefined) {
      const text = `${prefix}${textAt(now, 'averageValue', '<unknown>')}/${textAt(target, 'averageValue')}`;
      return source === 'external' || source === 'object' ? `${text} (avg)` : text;
    }
    if (resource) {
      const percent = (value: unknown, missing: string) => (value === undefined ? missing : `${String(value)}%`);
      return `${prefix}${percent(at(now, 'averageUtilization'), '<unknown>')}/${percent(at(target, 'averageUtilization'), '<auto>')}`;
    }
    return `${textAt(now, 'value', '<unknown>')}/${textAt(target, 'value', '0')}`;
  });
  return all.length ? shortList(all, 2, ', ') : '<none>';
}

/** Written in the first version, without metrics of later ones. */
function isPlainV1({ apiVersion, metadata }: KubeObject): boolean {
  return apiVersion === 'autoscaling/v1' && metadata.annotations?.[METRICS] === undefined;
}

export const horizontalPodAutoscaler: Strategy = {
  generation: false,
  statusSubresource: true,
  defaults(object) {
    const spec = object.spec as AutoscalerSpec & { targetCPUUtilizationPercentage?: number };
    spec.minReplicas ??= 1;
    if (object.apiVersion === 'autoscaling/v1') {
      if (isPlainV1(object)) spec.targetCPUUtilizationPercentage ??= 80;
      return;
    }
    if (!spec.metrics?.length)
      spec.metrics = [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ];
    if (!spec.behavior) return;
    const { behavior } = spec;
    behavior.scaleUp = {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
      ...behavior.scaleUp,
    };
    behavior.scaleDown = {
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
      ...behavior.scaleDown,
    };
  },
  validateStatus(object, _old, errors) {
    const status = (object.status ?? {}) as Record<string, number>;
    for (const field of ['currentReplicas', 'desiredReplicas'])
      validateNonNegative(status[field], `status.${field}`, errors);
  },
  validate: (object, errors) => validateAutoscaler(isPlainV1(object) ? autoscalerToV2(object) : object, errors),
};

/** autoscaling/v1 keeps in annotations what only v2 can say. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';

const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';

const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics';

interface ResourceMetric {
  type: string;
  resource?: {
    name: string;
    target?: { type: string; averageUtilization?: number };
    current?: { averageUtilization?: number };
  };
}

type AutoscalerStatus = Omit<autoscalingV2.HorizontalPodAutoscalerStatus, 'currentMetrics'> & {
  currentMetrics?: ResourceMetric[];
};

const isCpu = (metric: ResourceMetric) =>
  metric.type === 'Resource' && metric.resource?.name === 'cpu' && metric.resource.target?.type !== 'AverageValue';

/** autoscaling/v2 → v1. */
export function autoscalerToV1(object: KubeObject): KubeObject {
  const { metrics = [], behavior, ...spec } = (object.spec ?? {}) as AutoscalerSpec & { metrics?: ResourceMetric[] };
  const { currentMetrics, conditions, ...status } = (object.status ?? {}) as AutoscalerStatus;
  const cpu = metrics.find(isCpu);
  const rest = metrics.filter((metric) => metric !== cpu);
  const annotations: Record<string, string> = { ...object.metadata.annotations };
  if (rest.length) annotations[METRICS] = JSON.stringify(rest);
  if (behavior) annotations[BEHAVIOR] = JSON.stringify(behavior);
  if (conditions?.length) annotations[CONDITIONS] = JSON.stringify(conditions);
  const current = currentMetrics?.find(isCpu)?.resource?.current?.averageUtilization;
  if (currentMetrics?.length) annotations[CURRENT] = JSON.stringify(currentMetrics);
  const target = cpu?.resource?.target?.averageUtilization;
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: { ...object.metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: { ...status, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) },
  };
}

/** autoscaling/v1 → v2. */
export function autoscalerToV2(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage, ...spec } = (object.spec ?? {}) as AutoscalerSpec & {
    targetCPUUtilizationPercentage?: number;
  };
  const { currentCPUUtilizationPercentage: _, ...status } = (object.status ??
    {}) as autoscalingV1.HorizontalPodAutoscalerStatus;
  const annotations = { ...object.metadata.annotations };
  const taken = (name: string) => {
    const text = annotations[name];
    delete annotations[name];
    return text === undefined ? undefined : (JSON.parse(text) as object);
  };
  const metrics = [
    ...((taken(METRICS) as object[] | undefined) ?? []),
    ...(targetCPUUtilizationPercentage === undefined
      ? []
      : [
          {
            type: 'Resource',
            resource: {
              name: 'cpu',
              target: { type: 'Utilization', averageUtilization: targetCPUUtilizationPercentage },
            },
          },
        ]),
  ];
  const behavior = taken(BEHAVIOR);
  const conditions = taken(CONDITIONS);
  const currentMetrics = taken(CURRENT);
  const { annotations: __, ...metadata } = object.metadata;
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
    spec: { ...spec, ...(metrics.length ? { metrics } : {}), ...(behavior ? { behavior } : {}) },
    status: { ...status, currentMetrics: currentMetrics ?? null, ...(conditions ? { conditions } : {}) },
  };
}

export const horizontalPodAutoscalers: BuiltinKind = {
  strategy: horizontalPodAutoscaler,
  cells: (o, now) => [
    name(o),
    `${textAt(o, 'spec.scaleTargetRef.kind')}/${textAt(o, 'spec.scaleTargetRef.name')}`,
    metricsText(o),
    textAt(o, 'spec.minReplicas', '<unset>'),
    numberAt(o, 'spec.maxReplicas'),
    numberAt(o, 'status.currentReplicas'),
    age(o, now),
  ],
  gated: {
    spec(object) {
      for (const rules of ['scaleUp', 'scaleDown']) drop(mapAt(object, 'spec', 'behavior', rules), 'tolerance');
    },
  },
};
