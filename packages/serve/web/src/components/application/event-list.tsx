import { useQuery } from '@tanstack/react-query';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { TreeNode } from '../../api/model.ts';
import { EventTable } from '../common/event-table.tsx';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';

/** Kubernetes Events of the application, or of one object of it, newest first. */
export function EventList({ reference, node }: { reference: ApplicationRef; node?: TreeNode }) {
  const events = useQuery({
    queryKey: ['application', reference.namespace, reference.name, 'events', node?.uid ?? ''],
    queryFn: () => api.events(reference, node),
    refetchInterval: 5_000,
  });
  if (events.error) return <Failure error={events.error} retry={() => void events.refetch()} />;
  if (events.isLoading) return <Loading />;
  return <EventTable events={events.data ?? []} />;
}
