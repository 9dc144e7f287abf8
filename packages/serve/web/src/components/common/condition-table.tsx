import { Table } from '@mantine/core';
import type { Condition } from '../../api/families.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { DataTable } from './data-table.tsx';

/** Conditions of an object, as its status has them. */
export function ConditionTable({ conditions }: { conditions: readonly Condition[] }) {
  return (
    <DataTable
      label={t('Conditions')}
      heads={['Condition', 'Status', 'Reason', 'Message', 'When']}
      verticalSpacing="xs"
    >
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
        <Table.Tr key={type}>
          <Table.Td fw={600}>{type}</Table.Td>
          <Table.Td>{status}</Table.Td>
          <Table.Td>{reason}</Table.Td>
          <Table.Td style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{message}</Table.Td>
          <Table.Td className="soft" style={{ whiteSpace: 'nowrap' }}>
            {ago(lastTransitionTime, Date.now())}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
