import type { KubeList, KubeObject } from '@tiphys/kubernetes';

/** A list of Kubernetes Events as the API's `events.EventList`: the same JSON, with the fields that it has. */
export function eventListJson(list: KubeList) {
  return { metadata: { resourceVersion: list.metadata.resourceVersion ?? '' }, items: list.items.map(eventJson) };
}

function eventJson(event: KubeObject): Record<string, unknown> {
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = event;
  return { ...fields, involvedObject: event.involvedObject ?? {}, source: event.source ?? {} };
}
