import type { KubeObject } from '@tiphys/kubernetes';
import { invalidArgument } from '@tiphys/server';
import type { FlowCall } from '../common/caller.ts';
import type { WireListOptions } from '../common/list-options.ts';
import type { ServerParts } from '../common/server-parts.ts';
import { watchObjects } from '../common/watching.ts';
import { type EventLogRequest, eventLogs } from '../logs/event-logs.ts';

interface Named {
  readonly namespace: string;
  readonly name: string;
}

interface Listed {
  readonly namespace?: string;
  readonly listOptions?: WireListOptions;
}

/** Objects of Argo Events, as they are. */
class EventObjects {
  readonly #kind: 'EventSource' | 'Sensor';

  constructor(kind: 'EventSource' | 'Sensor') {
    this.#kind = kind;
  }

  ref(namespace: string | undefined) {
    return { apiVersion: 'argoproj.io/v1alpha1', kind: this.#kind, ...(namespace ? { namespace } : {}) };
  }

  get({ client, signal }: FlowCall, { namespace, name }: Named) {
    return client.get({ ...this.ref(namespace), name }, { signal });
  }

  create({ client, signal }: FlowCall, namespace: string, object: KubeObject | undefined) {
    return client.create(this.#own(namespace, object), { signal });
  }

  update({ client, signal }: FlowCall, namespace: string, object: KubeObject | undefined) {
    return client.update(this.#own(namespace, object), { signal });
  }

  async delete({ client, signal }: FlowCall, { namespace, name }: Named) {
    await client.delete({ ...this.ref(namespace), name }, { signal });
    return {};
  }

  async list({ client, signal }: FlowCall, { namespace, listOptions = {} }: Listed) {
    const { labelSelector, fieldSelector } = listOptions;
    const list = await client.list(this.ref(namespace), {
      signal,
      ...(labelSelector ? { labelSelector } : {}),
      ...(fieldSelector ? { fieldSelector } : {}),
    });
    return { metadata: list.metadata, items: list.items };
  }

  async *watch(call: FlowCall, { namespace, listOptions = {} }: Listed) {
    for await (const { type, object } of watchObjects(call, this.ref(namespace), listOptions)) yield { type, object };
  }

  #own(namespace: string, object: KubeObject | undefined): KubeObject {
    if (!object) throw invalidArgument(`${this.#kind} was not found in the request body`);
    const { metadata } = object;
    return { ...object, ...this.ref(undefined), metadata: { ...metadata, namespace: metadata.namespace || namespace } };
  }
}

/** `eventsource.EventSourceService`. */
export function eventSourceService({ clock }: ServerParts) {
  const objects = new EventObjects('EventSource');
  return {
    createEventSource: (request: { namespace: string; eventSource?: KubeObject }, call: FlowCall) =>
      objects.create(call, request.namespace, request.eventSource),
    getEventSource: (request: Named, call: FlowCall) => objects.get(call, request),
    deleteEventSource: (request: Named, call: FlowCall) => objects.delete(call, request),
    updateEventSource: (request: { namespace: string; eventSource?: KubeObject }, call: FlowCall) =>
      objects.update(call, request.namespace, request.eventSource),
    listEventSources: (request: Listed, call: FlowCall) => objects.list(call, request),
    eventSourcesLogs: (request: EventLogRequest, call: FlowCall) =>
      eventLogs(call, {
        ...request,
        label: 'eventsource-name',
        field: 'eventSourceName',
        type: 'eventSourceType',
        clock,
      }),
    watchEventSources: (request: Listed, call: FlowCall) => objects.watch(call, request),
  };
}

/** `sensor.SensorService`. */
export function sensorService({ clock }: ServerParts) {
  const objects = new EventObjects('Sensor');
  return {
    listSensors: (request: Listed, call: FlowCall) => objects.list(call, request),
    sensorsLogs: (request: EventLogRequest, call: FlowCall) =>
      eventLogs(call, { ...request, label: 'sensor-name', field: 'sensorName', type: 'triggerName', clock }),
    watchSensors: (request: Listed, call: FlowCall) => objects.watch(call, request),
    createSensor: (request: { namespace: string; sensor?: KubeObject }, call: FlowCall) =>
      objects.create(call, request.namespace, request.sensor),
    updateSensor: (request: { namespace: string; sensor?: KubeObject }, call: FlowCall) =>
      objects.update(call, request.namespace, request.sensor),
    deleteSensor: (request: Named, call: FlowCall) => objects.delete(call, request),
    getSensor: (request: Named, call: FlowCall) => objects.get(call, request),
  };
}
