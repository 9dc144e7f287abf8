import { Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { fieldOwners } from '../../objects/field-owners.ts';
import { DataTable } from '../common/data-table.tsx';

/** Who wrote which field of an object, and when. */
export function FieldOwnerList({ object }: { object: unknown }) {
  const [text, setText] = useState('');
  const owners = fieldOwners(object);
  if (owners.length === 0)
    return <Text className="soft">{t('The cluster keeps no record of who wrote its fields.')}</Text>;
  const shown = owners.filter(({ path, manager }) => `${path} ${manager}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <TextInput
        size="xs"
        mb="xs"
        placeholder={t('Field or manager')}
        aria-label={t('Field or manager')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <DataTable label={t('Fields')} heads={['Field', 'Written by', 'How', 'When']} fz="sm" verticalSpacing={4}>
        {shown.map(({ path, manager, operation, subresource, time }) => (
          <Table.Tr key={path + manager + subresource}>
            <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
              {path}
            </Table.Td>
            <Table.Td>{manager}</Table.Td>
            <Table.Td className="soft">{[operation, subresource].filter(Boolean).join(' · ')}</Table.Td>
            <Table.Td className="soft" style={{ whiteSpace: 'nowrap' }}>
              {ago(time, Date.now())}
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </>
  );
}
