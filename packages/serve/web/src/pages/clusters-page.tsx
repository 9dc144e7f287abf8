import { Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Cluster } from '../api/model.ts';
import { settingsApi } from '../api/settings.ts';
import { ago } from '../browser/time.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { ConfirmButton } from '../components/forms/confirm-button.tsx';
import { AddCluster, EditCluster } from '../components/settings/cluster-forms.tsx';
import { SettingsDrawer } from '../components/settings/settings-drawer.tsx';
import { SettingsHead } from '../components/settings/settings-head.tsx';
import { UsedBy } from '../components/settings/used-by.tsx';
import { t } from '../i18n/texts.ts';

/** All clusters that the user may see, with what is known of each and why one cannot be reached. */
export function ClustersPage() {
  const list = useQuery({ queryKey: ['clusters'], queryFn: api.clusters, refetchInterval: 15_000 });
  const now = Date.now();
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead title="Clusters">
        <SettingsDrawer label={t('Add a cluster')} title={t('Add a cluster')}>
          {(close) => <AddCluster close={close} />}
        </SettingsDrawer>
      </SettingsHead>
      {list.isLoading && <Loading height={140} />}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.map((cluster) => {
        const { name, server, project, namespaces, info, shard } = cluster;
        return (
          <div className="panel" style={{ padding: 16 }} key={server}>
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <div style={{ minWidth: 0 }}>
                <Text fw={600}>{name}</Text>
                <Text size="sm" className="mono soft" style={{ overflowWrap: 'anywhere' }}>
                  {server}
                </Text>
                <Text size="sm" className="soft">
                  {[
                    project && t('project {project}', { project }),
                    namespaces?.length && t('only the namespaces {names}', { names: namespaces.join(', ') }),
                    shard !== undefined && t('shard {number}', { number: shard }),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </Text>
              </div>
              <StatusBadge status={info.connectionState.status} />
            </Group>
            {info.connectionState.message && (
              <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
                {info.connectionState.message}
              </Text>
            )}
            <DataTable
              label={t('Cluster')}
              within
              heads={['Kubernetes', 'Applications', 'Objects', 'Kinds', 'Last heard of']}
              verticalSpacing={4}
              fz="sm"
            >
              <Table.Tr>
                <Table.Td>{info.serverVersion || '–'}</Table.Td>
                <Table.Td>{Number(info.applicationsCount ?? 0)}</Table.Td>
                <Table.Td>{Number(info.cacheInfo?.resourcesCount ?? 0)}</Table.Td>
                <Table.Td>{Number(info.cacheInfo?.apisCount ?? 0)}</Table.Td>
                <Table.Td>
                  {info.cacheInfo?.lastCacheSyncTime ? ago(info.cacheInfo.lastCacheSyncTime, now) : '–'}
                </Table.Td>
              </Table.Tr>
            </DataTable>
            <ClusterActions cluster={cluster} done={() => void list.refetch()} />
          </div>
        );
      })}
      {list.data?.length === 0 && <Text className="soft">{t('No cluster that you may see.')}</Text>}
    </Stack>
  );
}

function ClusterActions({ cluster, done }: { cluster: Cluster; done: () => void }) {
  const { name, server } = cluster;
  const own = server === 'https://kubernetes.default.svc';
  return (
    <Group gap="sm" mt="sm">
      <UsedBy facet="cluster" value={own ? 'in-cluster' : name} />
      <span style={{ flex: 1 }} />
      <SettingsDrawer label={t('Edit')} title={name} variant="default" size="compact-sm">
        {(close) => <EditCluster cluster={cluster} close={close} />}
      </SettingsDrawer>
      <ConfirmButton
        label={t('Read anew')}
        title={t('Read {name} anew', { name })}
        effect={t(
          'What is known of the cluster is thrown away, and all its objects are listed again. Nothing is changed in it.',
        )}
        danger={false}
        run={() => settingsApi.invalidateCluster(server)}
        done={done}
      />
      {!own && (
        <>
          <ConfirmButton
            label={t('Rotate credentials')}
            title={t('Rotate the credentials of {name}', { name })}
            effect={t(
              'The token of its service account is replaced by a new one; the old one is retired when the new one works.',
            )}
            danger={false}
            run={() => settingsApi.rotateCluster(server)}
            done={done}
          />
          <ConfirmButton
            label={t('Remove')}
            title={t('Remove {name}', { name })}
            effect={t(
              'The control plane forgets the cluster and its credentials. What runs there stays; applications that deliver to it fail until they name another one.',
            )}
            run={() => settingsApi.removeCluster(server)}
            done={done}
          />
        </>
      )}
    </Group>
  );
}
