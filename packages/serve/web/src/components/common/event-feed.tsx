import { type QueryKey, useQuery } from '@tanstack/react-query';
import type { KubeEvent } from '../../api/model.ts';
import { EventTable } from './event-table.tsx';
import { Failure } from './failure.tsx';
import { Loading } from './loading.tsx';

/** Milliseconds between two looks at the Events. */
const lookAgain = 5_000;

/** Kubernetes Events of something, newest first, looked at again while they are seen. */
export function EventFeed({ of, read }: { of: QueryKey; read: () => Promise<KubeEvent[]> }) {
  const events = useQuery({ queryKey: [...of, 'events'], queryFn: read, refetchInterval: lookAgain });
  if (events.error) return <Failure error={events.error} retry={() => void events.refetch()} />;
  if (events.isLoading) return <Loading />;
  return <EventTable events={events.data ?? []} />;
}
