interface Target {
  type?: string;
  averageUtilization?: number;
  averageValue?: string;
  value?: string;
}

export interface MetricSpec {
  type: string;
  resource?: { name: string; target?: Target };
  containerResource?: { name: string; container?: string; target?: Target };
  pods?: { metric: { name: string }; target?: Target };
  object?: { metric: { name: string }; describedObject: { kind: string; name: string }; target?: Target };
  external?: { metric: { name: string; selector?: object }; target?: Target };
}

export interface MetricRefusal {
  /** Of the event and the condition. */
  reason: string;
  message: string;
  /** What the summary of all metrics puts before the message. */
  summary: string;
}

const custom =
  'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';

/** Why a metric cannot be had, in the words of a cluster without metrics-server and adapters: the sandbox measures nothing. */
export function metricRefusal(metric: MetricSpec, namespace: string): MetricRefusal {
  const { resource, containerResource, pods, object, external } = metric;
  if (metric.type === 'Pods' && pods)
    return {
      reason: 'FailedGetPodsMetric',
      message: `unable to get metric ${pods.metric.name}: ${custom}`,
      summary: 'failed to get pods metric value',
    };
  if (metric.type === 'Object' && object) {
    const { kind, name } = object.describedObject;
    return {
      reason: 'FailedGetObjectMetric',
      message: `unable to get metric ${object.metric.name}: ${kind} on ${namespace} ${name}/${custom}`,
      summary: 'failed to get object metric value',
    };
  }
  if (metric.type === 'External' && external) {
    const { name, selector } = external.metric;
    const shown = selector ? JSON.stringify(selector) : 'nil';
    const why = `the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`;
    return {
      reason: 'FailedGetExternalMetric',
      message: `unable to get external metric ${namespace}/${name}/${shown}: unable to fetch metrics from external metrics API: ${why}`,
      summary: `failed to get ${name} external metric value`,
    };
  }
  const { name, target } = containerResource ?? resource ?? { name: 'cpu' };
  const of = target?.type === 'Utilization' ? 'utilization' : 'usage';
  const why = 'the server could not find the requested resource (get pods.metrics.k8s.io)';
  return {
    reason: containerResource ? 'FailedGetContainerResourceMetric' : 'FailedGetResourceMetric',
    message: `failed to get ${name} ${of}: unable to get metrics for resource ${name}: unable to fetch metrics from resource metrics API: ${why}`,
    summary: `failed to get ${containerResource?.container ?? name} ${containerResource ? 'container' : 'resource'} metric value`,
  };
}
