import { Anchor, Breadcrumbs, Button, Group, Menu, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiPath } from '../api/client.ts';
import type { Application, TreeNode } from '../api/model.ts';
import { useStream } from '../api/use-stream.ts';
import type { WatchEvent } from '../applications.ts';
import { DeleteDialog } from '../components/delete-dialog.tsx';
import { DiagnosisPanel } from '../components/diagnosis-panel.tsx';
import { DiffView } from '../components/diff-view.tsx';
import { EventList } from '../components/event-list.tsx';
import { Failure } from '../components/failure.tsx';
import { HistoryList } from '../components/history-list.tsx';
import { NodeDrawer } from '../components/node-drawer.tsx';
import { OperationPanel } from '../components/operation-panel.tsx';
import { ResourceTree } from '../components/resource-tree.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { SyncDialog } from '../components/sync-dialog.tsx';
import { navigate } from '../router.ts';
import { ago } from '../time.ts';

export function ApplicationPage({ namespace, name, tab }: { namespace: string; name: string; tab: string }) {
  const queries = useQueryClient();
  const ref = { namespace, name };
  const key = ['application', namespace, name];
  const application = useQuery({ queryKey: key, queryFn: () => api.application(ref) });
  const tree = useQuery({ queryKey: [...key, 'tree'], queryFn: () => api.tree(ref) });
  useStream<WatchEvent>(
    apiPath('stream/applications', { name, appNamespace: namespace }),
    ({ type, application: changed }) => {
      if (type === 'DELETED') return navigate('/applications');
      queries.setQueryData(key, changed);
      return void queries.invalidateQueries({ queryKey: [...key, 'managed'] });
    },
    () => void queries.invalidateQueries({ queryKey: key }),
  );
  useStream<{ nodes?: TreeNode[] }>(
    apiPath(`stream/applications/${encodeURIComponent(name)}/resource-tree`, { appNamespace: namespace }),
    ({ nodes }) => queries.setQueryData([...key, 'tree'], nodes ?? []),
    () => undefined,
  );
  const [syncing, setSyncing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [node, setNode] = useState<TreeNode>();

  if (application.error) return <Failure error={application.error} retry={() => void application.refetch()} />;
  if (!application.data) return <Skeleton height={320} radius="md" />;
  const app = application.data;
  const show = (next: string) =>
    navigate(`/applications/${encodeURIComponent(app.metadata.namespace)}/${encodeURIComponent(name)}/${next}`);
  return (
    <Stack gap="md" maw={1600} mx="auto">
      <Breadcrumbs>
        <Anchor component="button" onClick={() => navigate('/applications')}>
          Applications
        </Anchor>
        <Text>{name}</Text>
      </Breadcrumbs>
      <Header
        app={app}
        onSync={() => setSyncing(true)}
        onDelete={() => setDeleting(true)}
        onRefresh={(kind) => void api.refresh(ref, kind)}
      />
      {app.status?.diagnoses?.map((diagnosis) => (
        <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis} />
      ))}
      {app.status?.operationState && <OperationPanel state={app.status.operationState} reference={ref} />}
      <Tabs value={tab} onChange={(next) => show(next ?? 'tree')} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="tree">Resources</Tabs.Tab>
          <Tabs.Tab value="diff">Diff</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tree">
          {tree.error ? (
            <Failure error={tree.error} retry={() => void tree.refetch()} />
          ) : (
            <ResourceTree application={app} nodes={tree.data ?? []} onOpen={setNode} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="diff">
          <DiffView reference={ref} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventList reference={ref} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryList application={app} />
        </Tabs.Panel>
      </Tabs>
      <SyncDialog application={app} opened={syncing} close={() => setSyncing(false)} />
      <DeleteDialog application={app} opened={deleting} close={() => setDeleting(false)} />
      <NodeDrawer reference={ref} node={node} status={app.status?.resources ?? []} close={() => setNode(undefined)} />
    </Stack>
  );
}

function Header({
  app,
  onSync,
  onDelete,
  onRefresh,
}: {
  app: Application;
  onSync: () => void;
  onDelete: () => void;
  onRefresh: (kind: 'normal' | 'hard') => void;
}) {
  const { spec, status } = app;
  const source = spec.sources?.[0] ?? spec.source;
  const automated = spec.syncPolicy?.automated;
  const policy =
    automated && automated.enabled !== false
      ? ['Automated', automated.prune && 'prune', automated.selfHeal && 'self-heal'].filter(Boolean).join(' · ')
      : 'Manual';
  return (
    <div className="panel" style={{ padding: '18px 22px' }}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Group gap="sm" mb="sm">
            <Title order={2}>{app.metadata.name}</Title>
            <StatusBadge status={status?.health?.status} size="lg" />
            <StatusBadge status={status?.sync?.status} size="lg" />
          </Group>
          <dl className="facts" style={{ gridTemplateColumns: '92px minmax(160px, 440px) 92px minmax(120px, 300px)' }}>
            <dt>Repository</dt>
            <dd title={source?.repoURL}>{source?.repoURL}</dd>
            <dt>Destination</dt>
            <dd>
              {spec.destination.name ??
                spec.destination.server?.replace('https://kubernetes.default.svc', 'in-cluster')}{' '}
              / {spec.destination.namespace}
            </dd>
            <dt>Path</dt>
            <dd>
              {source?.path ?? source?.chart} <span className="soft">@ {source?.targetRevision || 'HEAD'}</span>
            </dd>
            <dt>Policy</dt>
            <dd>{policy}</dd>
            <dt>Revision</dt>
            <dd className="mono">{status?.sync?.revision?.slice(0, 12)}</dd>
            <dt>Compared</dt>
            <dd>{ago(status?.reconciledAt, Date.now())}</dd>
          </dl>
        </div>
        <Group gap="xs">
          <Menu>
            <Menu.Target>
              <Button variant="default">Refresh</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onRefresh('normal')}>Refresh: ask the repository now</Menu.Item>
              <Menu.Item onClick={() => onRefresh('hard')}>Hard refresh: render anew too</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <Button variant="default" color="red" onClick={onDelete}>
            Delete
          </Button>
          <Button onClick={onSync}>Sync</Button>
        </Group>
      </Group>
    </div>
  );
}
