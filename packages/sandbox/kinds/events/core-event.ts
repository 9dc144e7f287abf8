import type { Strategy } from '@tiphys/apimachinery';
import { ageOf, type coreV1, type KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, numberAt, textAt } from '../shared/cell-values.ts';
import { name } from '../shared/cells.ts';
import { plain } from '../shared/plain.ts';
import { eventToNew, validateEvent } from './events.ts';

export const coreEvent: Strategy = {
  ...plain,
  createOnUpdate: true,
  validate: (object, errors) => validateEvent(eventToNew(object), 'reportingComponent', errors),
  fields(object) {
    const involved = (object.involvedObject ?? {}) as Record<string, string | undefined>;
    const source = (object.source ?? {}) as coreV1.EventSource;
    return {
      'involvedObject.kind': involved.kind ?? '',
      'involvedObject.namespace': involved.namespace ?? '',
      'involvedObject.name': involved.name ?? '',
      'involvedObject.uid': involved.uid ?? '',
      'involvedObject.apiVersion': involved.apiVersion ?? '',
      'involvedObject.resourceVersion': involved.resourceVersion ?? '',
      'involvedObject.fieldPath': involved.fieldPath ?? '',
      reason: String(object.reason ?? ''),
      reportingComponent: String(object.reportingComponent ?? ''),
      source: source.component || String(object.reportingComponent ?? ''),
      type: String(object.type ?? ''),
    };
  },
};

export function eventCells(o: KubeObject, now: number): unknown[] {
  const first = at(o, 'firstTimestamp') ? ageOf(o.firstTimestamp, now) : ageOf(o.eventTime, now);
  const seriesCount = at(o, 'series.count');
  const last = at(o, 'series')
    ? ageOf(at(o, 'series.lastObservedTime'), now)
    : at(o, 'lastTimestamp')
      ? ageOf(o.lastTimestamp, now)
      : first;
  const involved = textAt(o, 'involvedObject.name');
  const kind = textAt(o, 'involvedObject.kind').toLowerCase();
  const component = textAt(o, 'source.component') || textAt(o, 'reportingComponent');
  const host = textAt(o, 'source.host') || textAt(o, 'reportingInstance');
  return [
    last,
    textAt(o, 'type'),
    textAt(o, 'reason'),
    involved ? `${kind}/${involved}` : kind,
    textAt(o, 'involvedObject.fieldPath'),
    host ? `${component}, ${host}` : component,
    textAt(o, 'message').trim(),
    first,
    typeof seriesCount === 'number' ? seriesCount : numberAt(o, 'count') || 1,
    name(o),
  ];
}

export const events: BuiltinKind = {
  strategy: coreEvent,
  cells: eventCells,
};
