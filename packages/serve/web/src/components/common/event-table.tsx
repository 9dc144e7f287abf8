import { Table, Text } from '@mantine/core';
import type { KubeEvent } from '../../api/model.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { told } from '../../i18n/told.ts';
import { DataTable } from './data-table.tsx';

/** Kubernetes Events, newest first. */
export function EventTable({ events }: { events: readonly KubeEvent[] }) {
  const rows = events.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  if (rows.length === 0) return <Text className="soft">{t('No events.')}</Text>;
  return (
    <DataTable label={t('Events')} heads={['When', 'Type', 'Reason', 'Message']} verticalSpacing="xs" fz="sm">
      {rows.map((event) => (
        <Table.Tr key={event.metadata?.uid ?? event.metadata?.name}>
          <Table.Td className="soft" style={{ whiteSpace: 'nowrap' }}>
            {ago(timeOf(event), Date.now())}
            {(event.count ?? 1) > 1 && ` (×${event.count})`}
          </Table.Td>
          <Table.Td>
            <Text size="sm" c={event.type === 'Warning' ? 'var(--mantine-color-orange-light-color)' : 'inherit'}>
              {event.type}
            </Text>
          </Table.Td>
          <Table.Td>{event.reason}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{told(event.message ?? '')}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

const timeOf = (event: KubeEvent) => event.lastTimestamp ?? event.firstTimestamp ?? event.eventTime ?? '';
