import { Button, Code, Group, Stack, Table, Text, TextInput, Title, Tooltip } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { ReplicaConnection, RepositoryConnection } from '../api/model.ts';
import { settingsApi } from '../api/settings.ts';
import { resultWords } from '../applications/repositories.ts';
import { ago } from '../browser/time.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { PageLink } from '../components/common/page-link.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { ConfirmButton } from '../components/forms/confirm-button.tsx';
import { RepositoryForm } from '../components/settings/repository-forms.tsx';
import { SettingsDrawer } from '../components/settings/settings-drawer.tsx';
import { TemplateList, WriteList } from '../components/settings/template-list.tsx';
import { UsedBy } from '../components/settings/used-by.tsx';
import { t } from '../i18n/texts.ts';

const listKey = ['repositories'];

/** All repositories with what every replica found: who cannot reach them, from which node, and why. */
export function RepositoriesPage() {
  const queries = useQueryClient();
  const list = useQuery({ queryKey: listKey, queryFn: () => api.repositories(false), refetchInterval: 30_000 });
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    try {
      queries.setQueryData(listKey, await api.repositories(true));
    } catch {
      // the list's own next request meets the same refusal, and shows it
      await queries.invalidateQueries({ queryKey: listKey });
    } finally {
      setBusy(false);
    }
  };
  const items = (list.data ?? []).filter(({ repo, project = '', name = '' }) =>
    `${repo} ${project} ${name}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Group justify="space-between">
        <Title order={2}>{t('Repositories')}</Title>
        <Group gap="sm">
          <SettingsDrawer label={t('Connect a repository')} title={t('Connect a repository')}>
            {(close) => <RepositoryForm close={close} />}
          </SettingsDrawer>
          <TextInput
            placeholder={t('Filter by URL, project, name')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            w={{ base: '100%', xs: 300 }}
            aria-label={t('Filter')}
          />
          <Button variant="default" onClick={() => void check()} loading={busy}>
            {t('Check now')}
          </Button>
        </Group>
      </Group>
      {list.isLoading && <Loading height={140} />}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && <Empty />}
      {list.data && list.data.length > 0 && items.length === 0 && (
        <Text className="soft">{t('No repository matches the filter.')}</Text>
      )}
      {items.map((item) => (
        <Repository key={`${item.project ?? ''}/${item.repo}`} item={item} />
      ))}
      <TemplateList />
      <WriteList />
    </Stack>
  );
}

/** What is known of a repository, as the form's fields; its credentials are told to nobody. */
function formValues({ repo, type, name = '', project = '' }: RepositoryConnection) {
  const way = type === 'helm' || type === 'oci' ? type : /^(ssh:|[^/:]+@)/.test(repo) ? 'ssh' : 'https';
  return { way, repo, name, project };
}

function Repository({ item }: { item: RepositoryConnection }) {
  const queries = useQueryClient();
  const { status, message } = item.connectionState;
  return (
    <div className="panel" style={{ padding: 16 }}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div style={{ minWidth: 0 }}>
          <Text className="mono" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {item.repo}
          </Text>
          <Text size="sm" className="soft">
            {[
              item.type,
              item.name,
              item.project && t('project {project}', { project: item.project }),
              item.inheritedCreds && t('credential template'),
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        </div>
        <StatusBadge status={status} />
      </Group>
      <Group gap="sm" mt="xs">
        <UsedBy facet="repository" value={item.repo} />
        <PageLink to={`applications?new=true&repository=${encodeURIComponent(item.repo)}`} className="quiet-link">
          {t('New application')}
        </PageLink>
        <span style={{ flex: 1 }} />
        <SettingsDrawer label={t('Replace credentials')} title={item.repo} variant="default" size="compact-sm">
          {(close) => <RepositoryForm initial={formValues(item)} close={close} />}
        </SettingsDrawer>
        <ConfirmButton
          label={t('Remove')}
          title={t('Remove {name}', { name: item.repo })}
          effect={t(
            'Applications that use it read it without credentials from now on, and fail if it needs some. Nothing that runs is changed.',
          )}
          run={() => settingsApi.removeRepository(item.repo, item.project)}
          done={() => void queries.invalidateQueries({ queryKey: listKey })}
        />
      </Group>
      {message && (
        <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      )}
      {item.replicas.length > 0 && <Replicas replicas={item.replicas} />}
    </div>
  );
}

function Replicas({ replicas }: { replicas: readonly ReplicaConnection[] }) {
  const now = Date.now();
  return (
    <DataTable
      label={t('Connections')}
      within
      heads={['Replica', 'Node', 'Status', 'Last checks', 'What it found']}
      verticalSpacing={4}
      fz="sm"
    >
      {replicas.map(({ replica, node, status, results, checkedAt, message, cause, notices }) => (
        <Table.Tr key={replica}>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>{replica}</Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>{node}</Table.Td>
          <Table.Td>
            <StatusBadge status={status} size="sm" />
          </Table.Td>
          <Table.Td>
            <Tooltip label={resultWords(results)}>
              <span>
                <span className="mono" role="img" aria-label={resultWords(results)}>
                  {[...results].map((result) => (result === 'S' ? '●' : '○')).join(' ')}
                </span>{' '}
                <span className="soft">{ago(checkedAt, now)}</span>
              </span>
            </Tooltip>
          </Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            {cause && <Code mr={6}>{cause}</Code>}
            {[message, ...notices].filter(Boolean).join('; ') || <span className="soft">{t('nothing wrong')}</span>}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

function Empty() {
  return <Text className="soft">{t('No repository is registered that you may see. Public ones need none.')}</Text>;
}
