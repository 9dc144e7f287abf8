import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, qualifiedNameProblems, type Strategy } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';

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
  validate: (object, errors) => validateEvent(object, 'reportingController', errors),
  validateCreate: (object, errors) => validateNewEvent(object, errors),
  validateUpdate: (object, old, errors) => validateEventUpdate(object, old, errors),
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

interface EventFields {
  action?: string;
  deprecatedCount?: number;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedSource?: { component?: string; host?: string };
  eventTime?: string | null;
  note?: string;
  reason?: string;
  regarding?: { namespace?: string };
  reportingController?: string;
  reportingInstance?: string;
  series?: { count?: number; lastObservedTime?: string | null };
  type?: string;
}

const MAX_WORDS = 128;

const MAX_NOTE = 1024;

/** What every version asks of an event; `controllerField` is what the version calls its reporter. */
export function validateEvent(object: KubeObject, controllerField: string, errors: FieldErrors): void {
  const event = object as KubeObject & EventFields;
  const { namespace = '' } = event.metadata;
  const regarding = event.regarding?.namespace ?? '';
  const home = 'involvedObject.namespace';
  if (!event.eventTime) {
    const fits = regarding ? namespace === regarding : namespace === '' || namespace === 'default';
    if (!fits) errors.invalid(home, regarding, 'does not match event.namespace');
    return;
  }
  if (!regarding && namespace !== 'default' && namespace !== 'kube-system')
    errors.invalid(home, regarding, 'does not match event.namespace');
  const { reportingController: controller = '', note = '' } = event;
  if (!controller) errors.required(controllerField);
  for (const text of qualifiedNameProblems(controller)) errors.invalid(controllerField, controller, text);
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const text = event[field] ?? '';
    if (!text) errors.required(field);
    if (Buffer.byteLength(text) > MAX_WORDS) errors.invalid(field, '', `can have at most ${MAX_WORDS} characters`);
  }
  if (Buffer.byteLength(note) > MAX_NOTE) errors.invalid('message', '', `can have at most ${MAX_NOTE} characters`);
}

function validateSeries({ series }: EventFields, errors: FieldErrors): void {
  if (!series) return;
  if ((series.count ?? 0) < 2) errors.invalid('series.count', '', 'should be at least 2');
  if (!series.lastObservedTime) errors.required('series.lastObservedTime');
}

function validateNewEvent(object: KubeObject, errors: FieldErrors): void {
  const event = object as KubeObject & EventFields;
  const { deprecatedSource: source, type = '' } = event;
  validateSeries(event, errors);
  if (!event.eventTime) errors.required('eventTime');
  if (type !== 'Normal' && type !== 'Warning') errors.invalid('type', '', `has invalid value: ${type}`);
  for (const [field, value] of [
    ['firstTimestamp', event.deprecatedFirstTimestamp],
    ['lastTimestamp', event.deprecatedLastTimestamp],
    ['count', event.deprecatedCount],
    ['source', source?.component || source?.host],
  ] as const)
    if (value) errors.invalid(field, '', 'needs to be unset');
}

/** Fields by their names here, and in the API server's words. */
const KEPT: readonly (readonly [keyof EventFields | 'related', string])[] = [
  ['regarding', 'involvedObject'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

function validateEventUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  if (!isDeepStrictEqual(object.series, old.series)) validateSeries(object as EventFields, errors);
  for (const [field, told] of KEPT)
    if (!isDeepStrictEqual(object[field] ?? null, old[field] ?? null))
      errors.invalid(told, object[field] ?? '', 'field is immutable');
}

export const newEvents: BuiltinKind = {
  strategy: newEvent,
};
