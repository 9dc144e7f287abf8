import { Drawer, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { stringify } from 'yaml';
import { type ApplicationRef, api } from '../api/client.ts';
import type { ResourceStatus, TreeNode } from '../api/model.ts';
import { EventList } from './event-list.tsx';
import { Failure } from './failure.tsx';
import { LogView } from './log-view.tsx';
import { StatusBadge } from './status-badge.tsx';
import { YamlView } from './yaml-view.tsx';

/** One object: its live manifest, its events, and the logs of a pod. */
export function NodeDrawer({
  reference,
  node,
  status,
  close,
}: {
  reference: ApplicationRef;
  node: TreeNode | undefined;
  status: readonly ResourceStatus[];
  close: () => void;
}) {
  const own =
    node &&
    status.find(
      (item) => item.kind === node.kind && item.name === node.name && (item.namespace ?? '') === (node.namespace ?? ''),
    );
  return (
    <Drawer
      opened={node !== undefined}
      onClose={close}
      position="right"
      size="xl"
      title={node && <Text fw={650}>{`${node.kind} ${node.namespace ? `${node.namespace}/` : ''}${node.name}`}</Text>}
    >
      {node && (
        <Stack>
          <Group gap="xs">
            {node.health?.status && <StatusBadge status={node.health.status} />}
            {own?.status && <StatusBadge status={own.status} />}
            <Text size="sm" className="soft">
              {node.health?.message}
            </Text>
          </Group>
          {node.images && node.images.length > 0 && <Text className="mono">{node.images.join(', ')}</Text>}
          <Tabs defaultValue="manifest" keepMounted={false}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="manifest">Live manifest</Tabs.Tab>
              <Tabs.Tab value="events">Events</Tabs.Tab>
              {node.kind === 'Pod' && <Tabs.Tab value="logs">Logs</Tabs.Tab>}
            </Tabs.List>
            <Tabs.Panel value="manifest">
              <Manifest reference={reference} node={node} />
            </Tabs.Panel>
            <Tabs.Panel value="events">
              <EventList reference={reference} node={node} />
            </Tabs.Panel>
            <Tabs.Panel value="logs">
              <LogView reference={reference} node={node} />
            </Tabs.Panel>
          </Tabs>
        </Stack>
      )}
    </Drawer>
  );
}

function Manifest({ reference, node }: { reference: ApplicationRef; node: TreeNode }) {
  const live = useQuery({
    queryKey: ['live', reference.namespace, reference.name, node.uid],
    queryFn: () => api.live(reference, node),
    refetchInterval: 5_000,
  });
  if (live.error) return <Failure error={live.error} retry={() => void live.refetch()} />;
  if (live.data === undefined) return <Text className="soft">Loading …</Text>;
  return <YamlView text={withoutNoise(live.data)} />;
}

/** In the order in which people write manifests; managed fields are a page of their own that nobody asked for. */
function withoutNoise(manifest: string): string {
  const { apiVersion, kind, metadata, spec, status, ...rest } = JSON.parse(manifest) as Record<string, unknown>;
  const { managedFields: _, ...shown } = (metadata ?? {}) as Record<string, unknown>;
  const ordered = {
    apiVersion,
    kind,
    metadata: shown,
    ...(spec ? { spec } : {}),
    ...rest,
    ...(status ? { status } : {}),
  };
  return stringify(ordered, { lineWidth: 0 });
}
