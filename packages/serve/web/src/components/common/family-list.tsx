import { Anchor, Badge, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Bounded } from '../../api/families.ts';
import { navigate } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { told } from '../../i18n/told.ts';
import { DataTable } from './data-table.tsx';
import { Failure } from './failure.tsx';
import { Loading } from './loading.tsx';

interface Named {
  namespace: string;
  name: string;
  phase: string;
}

interface FamilyListProps<T extends Named> {
  title: string;
  /** First part of the path of its pages. */
  path: string;
  read: () => Promise<Bounded<T>>;
  order?: (items: readonly T[]) => T[];
  /** Columns after the name. */
  columns: readonly { title: string; cell: (item: T) => ReactNode }[];
}

/** Milliseconds between two looks at what runs. */
export const lookAgain = 4000;

/** All objects of a kind in a table that leads to their pages; looked at again while it is open. */
export function FamilyList<T extends Named>({ title, path, read, order, columns }: FamilyListProps<T>) {
  const list = useQuery({ queryKey: [path], queryFn: read, refetchInterval: lookAgain, retry: false });
  const [text, setText] = useState('');
  const items = list.data?.items ?? [];
  const found = items.filter(({ namespace, name, phase }) => `${namespace}/${name} ${phase}`.includes(text));
  const shown = order ? order(found) : found;
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{t(title)}</Title>
          {list.data && (
            <Badge variant="light" color="gray" size="lg">
              {items.length}
            </Badge>
          )}
        </Group>
        <TextInput
          placeholder={t('Filter by name, namespace, phase')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={{ base: '100%', xs: 340 }}
          aria-label={t('Filter')}
        />
      </Group>
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isLoading && <Loading />}
      {list.data?.note && <Text className="soft">{told(list.data.note)}</Text>}
      {list.data && !list.data.note && items.length === 0 && (
        <Text className="soft">{t(`No ${title.toLowerCase()} yet.`)}</Text>
      )}
      {items.length > 0 && shown.length === 0 && <Text className="soft">{t('Nothing matches the filter.')}</Text>}
      {shown.length > 0 && (
        <DataTable label={t(title)} heads={['Name', ...columns.map((column) => column.title)]} highlightOnHover>
          {shown.map((item) => (
            <Table.Tr
              key={`${item.namespace}/${item.name}`}
              onClick={() =>
                navigate(`/${path}/${encodeURIComponent(item.namespace)}/${encodeURIComponent(item.name)}`)
              }
              style={{ cursor: 'pointer' }}
            >
              <Table.Td>
                <Anchor component="button" size="sm" c="inherit" fw={600} ta="left">
                  {item.name}
                </Anchor>
                <Text size="xs" className="soft">
                  {item.namespace}
                </Text>
              </Table.Td>
              {columns.map((column) => (
                <Table.Td key={column.title}>{column.cell(item)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </Stack>
  );
}
