import { Code, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { Failure } from '../components/failure.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { ago } from '../time.ts';

/** All clusters that the user may see, with what is known of each and why one cannot be reached. */
export function ClustersPage() {
  const list = useQuery({ queryKey: ['clusters'], queryFn: api.clusters, refetchInterval: 15_000 });
  const now = Date.now();
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Title order={2}>Clusters</Title>
      {list.isLoading && <Skeleton height={140} radius="md" />}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.map(({ name, server, project, namespaces, info, shard }) => (
        <div className="panel" style={{ padding: 16 }} key={server}>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <div style={{ minWidth: 0 }}>
              <Text fw={600}>{name}</Text>
              <Text size="sm" className="mono soft" style={{ overflowWrap: 'anywhere' }}>
                {server}
              </Text>
              <Text size="sm" className="soft">
                {[
                  project && `project ${project}`,
                  namespaces?.length && `only the namespaces ${namespaces.join(', ')}`,
                  shard !== undefined && `shard ${shard}`,
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
          <Table.ScrollContainer minWidth={500} mt="sm">
            <Table verticalSpacing={4} fz="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Kubernetes</Table.Th>
                  <Table.Th>Applications</Table.Th>
                  <Table.Th>Objects</Table.Th>
                  <Table.Th>Kinds</Table.Th>
                  <Table.Th>Last heard of</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                <Table.Tr>
                  <Table.Td>{info.serverVersion || '–'}</Table.Td>
                  <Table.Td>{Number(info.applicationsCount ?? 0)}</Table.Td>
                  <Table.Td>{Number(info.cacheInfo?.resourcesCount ?? 0)}</Table.Td>
                  <Table.Td>{Number(info.cacheInfo?.apisCount ?? 0)}</Table.Td>
                  <Table.Td>
                    {info.cacheInfo?.lastCacheSyncTime ? ago(info.cacheInfo.lastCacheSyncTime, now) : '–'}
                  </Table.Td>
                </Table.Tr>
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </div>
      ))}
      {list.data?.length === 0 && (
        <Text className="soft">
          No cluster that you may see. Others are added with <Code>argocd cluster add CONTEXT</Code>.
        </Text>
      )}
    </Stack>
  );
}
