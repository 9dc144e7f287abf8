import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { TreeNode } from '../../api/model.ts';
import { ago } from '../../browser/time.ts';
import { Failure } from '../common/failure.tsx';
import { ScrollPanel } from '../common/scroll-panel.tsx';

/** Kubernetes Events of the application, or of one object of it, newest first. */
export function EventList({ reference, node }: { reference: ApplicationRef; node?: TreeNode }) {
  const events = useQuery({
    queryKey: ['application', reference.namespace, reference.name, 'events', node?.uid ?? ''],
    queryFn: () => api.events(reference, node),
    refetchInterval: 5_000,
  });
  if (events.error) return <Failure error={events.error} retry={() => void events.refetch()} />;
  const rows = [...(events.data ?? [])].sort((a, b) => ((a.lastTimestamp ?? '') < (b.lastTimestamp ?? '') ? 1 : -1));
  if (rows.length === 0) return <Text className="soft">{events.isLoading ? 'Loading …' : 'No events.'}</Text>;
  return (
    <ScrollPanel label="Events">
      <Table verticalSpacing="xs" horizontalSpacing="md" fz="sm">
        <Table.Thead>
          <Table.Tr>
            {['When', 'Type', 'Reason', 'Message'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((event) => (
            <Table.Tr key={event.metadata?.uid ?? event.metadata?.name}>
              <Table.Td className="soft" style={{ whiteSpace: 'nowrap' }}>
                {ago(event.lastTimestamp ?? event.firstTimestamp, Date.now())}
                {(event.count ?? 1) > 1 && ` (×${event.count})`}
              </Table.Td>
              <Table.Td>
                <Text size="sm" c={event.type === 'Warning' ? 'orange' : 'inherit'}>
                  {event.type}
                </Text>
              </Table.Td>
              <Table.Td>{event.reason}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{event.message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollPanel>
  );
}
