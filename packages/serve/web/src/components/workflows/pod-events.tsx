import { useState } from 'react';
import type { RequestError } from '../../api/client.ts';
import { podEventsAddress } from '../../api/flow.ts';
import type { KubeEvent } from '../../api/model.ts';
import { useJsonLines } from '../../api/use-json-lines.ts';
import { EventTable } from '../common/event-table.tsx';
import { Failure } from '../common/failure.tsx';

const noEvents: ReadonlyMap<string, KubeEvent> = new Map();

/** The Kubernetes Events of a workflow's pod, as they come: why it is not scheduled, or what of it could not be pulled. */
export function PodEvents({ namespace, podName }: { namespace: string; podName: string }) {
  const [events, setEvents] = useState(noEvents);
  const [error, setError] = useState<RequestError>();
  useJsonLines<KubeEvent>(podEventsAddress(namespace, podName), {
    take: (more) =>
      setEvents((before) => new Map([...before, ...more.map((one) => [one.metadata?.name ?? '', one] as const)])),
    begin: () => setEvents(noEvents),
    refused: setError,
  });
  if (error) return <Failure error={error} />;
  return <EventTable events={[...events.values()]} />;
}
