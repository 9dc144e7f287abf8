import { Anchor, Badge, Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api, apiPath } from '../api/client.ts';
import type { ApplicationSet } from '../api/model.ts';
import { useStream } from '../api/use-stream.ts';
import { generatorsOf, setProblem } from '../applications/application-sets.ts';
import { navigate } from '../browser/router.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { t } from '../i18n/texts.ts';

const NewSet = lazy(() => import('../components/sets/new-set.tsx').then(({ NewSet: dialog }) => ({ default: dialog })));

const listKey = ['applicationsets'];

/** All ApplicationSets, kept up to date. */
export function ApplicationSetsPage() {
  const queries = useQueryClient();
  const list = useQuery({ queryKey: listKey, queryFn: api.applicationSets });
  const again = () => void queries.invalidateQueries({ queryKey: listKey });
  useStream(apiPath('stream/applicationsets'), again, again);
  const [text, setText] = useState('');
  const [making, setMaking] = useState(false);
  const items = list.data?.items ?? [];
  const shown = items.filter(({ metadata, spec }) =>
    `${metadata.namespace}/${metadata.name} ${spec.template?.spec?.project ?? ''}`.includes(text),
  );
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{t('Application sets')}</Title>
          <Badge variant="light" color="gray" size="lg">
            {items.length}
          </Badge>
        </Group>
        <Group gap="xs" className="head-tools">
          <TextInput
            placeholder={t('Filter by name, namespace, project')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            w={{ base: '100%', xs: 340 }}
            aria-label={t('Filter')}
            data-search
          />
          <Button onClick={() => setMaking(true)}>{t('New {kind}', { kind: 'ApplicationSet' })}</Button>
        </Group>
      </Group>
      {making && (
        <Suspense fallback={null}>
          <NewSet close={() => setMaking(false)} />
        </Suspense>
      )}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isLoading && <Loading />}
      {list.data && items.length === 0 && <Text className="soft">{t('No application sets yet.')}</Text>}
      {items.length > 0 && shown.length === 0 && <Text className="soft">{t('Nothing matches the filter.')}</Text>}
      {shown.length > 0 && <Rows items={shown} />}
    </Stack>
  );
}

function Rows({ items }: { items: ApplicationSet[] }) {
  return (
    <DataTable
      label={t('Application sets')}
      heads={['Name', 'Project', 'Health', 'Applications', 'Generators', 'Problem']}
      highlightOnHover
    >
      {items.map((set) => {
        const { namespace, name } = set.metadata;
        const open = () => navigate(`/applicationsets/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);
        return (
          <Table.Tr key={`${namespace}/${name}`} onClick={open} style={{ cursor: 'pointer' }}>
            <Table.Td fw={600}>
              <Anchor component="button" size="sm" c="inherit" fw={600} ta="left">
                {name}
              </Anchor>
              <Text size="xs" className="soft">
                {namespace}
              </Text>
            </Table.Td>
            <Table.Td>{set.spec.template?.spec?.project ?? 'default'}</Table.Td>
            <Table.Td>
              <StatusBadge status={set.status?.health?.status} />
            </Table.Td>
            <Table.Td>{set.status?.resourcesCount ?? set.status?.resources?.length ?? 0}</Table.Td>
            <Table.Td>{generatorsOf(set)}</Table.Td>
            <Table.Td maw={420}>
              {setProblem(set) && (
                <Text size="xs" c="var(--mantine-color-error)" lineClamp={2}>
                  {setProblem(set)}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        );
      })}
    </DataTable>
  );
}
