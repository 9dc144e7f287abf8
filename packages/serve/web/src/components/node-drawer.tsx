import { Drawer, Group, Loader, Select, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { stringify } from 'yaml';
import { type ApplicationRef, api } from '../api/client.ts';
import type { ResourceStatus, TreeNode } from '../api/model.ts';
import { containersOf } from '../containers.ts';
import { EventList } from './event-list.tsx';
import { Failure } from './failure.tsx';
import { LogView } from './log-view.tsx';
import { ResourceActions } from './resource-actions.tsx';
import { StatusBadge } from './status-badge.tsx';
import { YamlView } from './yaml-view.tsx';

/** Only who opens a terminal loads one. */
const TerminalView = lazy(() => import('./terminal-view.tsx').then(({ TerminalView: view }) => ({ default: view })));

/** One object: what can be done to it, its live manifest, its events; logs of a pod, and a shell in it. */
export function NodeDrawer({
  reference,
  project,
  node,
  status,
  close,
}: {
  reference: ApplicationRef;
  project: string;
  node: TreeNode | undefined;
  status: readonly ResourceStatus[];
  close: () => void;
}) {
  return (
    <Drawer
      opened={node !== undefined}
      onClose={close}
      position="right"
      size="xl"
      title={
        node && (
          <Text fw={650} style={{ overflowWrap: 'anywhere' }}>
            {`${node.kind} ${node.namespace ? `${node.namespace}/` : ''}${node.name}`}
          </Text>
        )
      }
    >
      {node && <NodeView key={node.uid} reference={reference} project={project} node={node} status={status} />}
    </Drawer>
  );
}

function NodeView({
  reference,
  project,
  node,
  status,
}: {
  reference: ApplicationRef;
  project: string;
  node: TreeNode;
  status: readonly ResourceStatus[];
}) {
  const own = status.find(
    (item) => item.kind === node.kind && item.name === node.name && (item.namespace ?? '') === (node.namespace ?? ''),
  );
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const live = useQuery({
    queryKey: ['live', reference.namespace, reference.name, node.uid],
    queryFn: () => api.live(reference, node),
    refetchInterval: 5_000,
  });
  const object: unknown = live.data === undefined ? undefined : JSON.parse(live.data);
  const containers = containersOf(object);
  const [chosen, setChosen] = useState<string | null>(null);
  const container = chosen ?? containers[0] ?? '';
  const isPod = node.kind === 'Pod' && (node.group ?? '') === '';
  const picker = containers.length > 1 && (
    <Select
      label="Container"
      data={containers}
      value={container}
      allowDeselect={false}
      onChange={setChosen}
      mb="sm"
      maw={320}
    />
  );
  return (
    <Stack>
      <Group gap="xs">
        {node.health?.status && <StatusBadge status={node.health.status} />}
        {own?.status && <StatusBadge status={own.status} />}
        <Text size="sm" className="soft">
          {node.health?.message}
        </Text>
      </Group>
      {node.images && node.images.length > 0 && (
        <Text className="mono" style={{ overflowWrap: 'anywhere' }}>
          {node.images.join(', ')}
        </Text>
      )}
      <ResourceActions reference={reference} node={node} live={object} />
      <Tabs defaultValue="manifest" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="manifest">Live manifest</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
          {isPod && <Tabs.Tab value="logs">Logs</Tabs.Tab>}
          {isPod && settings.data?.execEnabled && <Tabs.Tab value="terminal">Terminal</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="manifest">
          {live.error ? (
            <Failure error={live.error} retry={() => void live.refetch()} />
          ) : object === undefined ? (
            <Text className="soft">Loading …</Text>
          ) : (
            <YamlView text={withoutNoise(object)} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventList reference={reference} node={node} />
        </Tabs.Panel>
        <Tabs.Panel value="logs">
          {picker}
          {container && <LogView key={container} reference={reference} node={node} container={container} />}
        </Tabs.Panel>
        <Tabs.Panel value="terminal">
          {picker}
          {container && (
            <Suspense fallback={<Loader size="sm" />}>
              <TerminalView reference={reference} project={project} pod={node} container={container} />
            </Suspense>
          )}
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** In the order in which people write manifests; managed fields are a page of their own that nobody asked for. */
function withoutNoise(object: unknown): string {
  const { apiVersion, kind, metadata, spec, status, ...rest } = object as Record<string, unknown>;
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
