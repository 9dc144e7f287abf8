import type { KubeObject } from '@tiphys/kubernetes';
import type { Strategy } from '../machinery/strategy.ts';

/** core/v1 Event → events.k8s.io/v1 Event. */
export function eventToNew(object: KubeObject): KubeObject {
  const { involvedObject, message, source, firstTimestamp, lastTimestamp, count, reportingComponent, ...rest } =
    object as KubeObject & Record<string, unknown>;
  return {
    ...rest,
    apiVersion: 'events.k8s.io/v1',
    ...(involvedObject ? { regarding: involvedObject } : {}),
    ...(message ? { note: message } : {}),
    deprecatedSource: source ?? {},
    deprecatedFirstTimestamp: firstTimestamp ?? null,
    deprecatedLastTimestamp: lastTimestamp ?? null,
    ...(count ? { deprecatedCount: count } : {}),
    ...(reportingComponent ? { reportingController: reportingComponent } : {}),
  };
}

/** events.k8s.io/v1 Event → core/v1 Event. */
export function eventToCore(object: KubeObject): KubeObject {
  const {
    regarding,
    note,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    reportingController,
    ...rest
  } = object as KubeObject & Record<string, unknown>;
  return {
    ...rest,
    apiVersion: 'v1',
    involvedObject: regarding ?? {},
    ...(note ? { message: note } : {}),
    source: deprecatedSource ?? {},
    firstTimestamp: deprecatedFirstTimestamp ?? null,
    lastTimestamp: deprecatedLastTimestamp ?? null,
    ...(deprecatedCount ? { count: deprecatedCount } : {}),
    reportingComponent: reportingController ?? '',
    reportingInstance: object.reportingInstance ?? '',
  };
}

export const newEvent: Strategy = {
  generation: false,
  statusSubresource: false,
  createOnUpdate: true,
  validate(object, errors) {
    for (const field of ['reportingController', 'reportingInstance', 'action', 'reason'] as const)
      if (!object[field]) errors.required(field);
  },
  fields(object) {
    const regarding = (object.regarding ?? object.involvedObject ?? {}) as Record<string, string | undefined>;
    return {
      'regarding.kind': regarding.kind ?? '',
      'regarding.namespace': regarding.namespace ?? '',
      'regarding.name': regarding.name ?? '',
      'regarding.uid': regarding.uid ?? '',
      'regarding.apiVersion': regarding.apiVersion ?? '',
      'regarding.resourceVersion': regarding.resourceVersion ?? '',
      'regarding.fieldPath': regarding.fieldPath ?? '',
      reason: String(object.reason ?? ''),
      reportingController: String(object.reportingController ?? object.reportingComponent ?? ''),
      type: String(object.type ?? ''),
    };
  },
};
