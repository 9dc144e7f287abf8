import { Button, Group, Menu, Title } from '@mantine/core';
import type { Application, ApplicationTree } from '../../api/model.ts';
import { sourcesOf } from '../../sync-request.ts';
import { ago } from '../../time.ts';
import { StatusBadge } from '../common/status-badge.tsx';
import { StatusExtensions, TopBarExtensions } from '../extensions/header-extensions.tsx';

/** What an application is, in which state, and what can be done to it. */
export function ApplicationHeader({
  app,
  tree,
  onSync,
  onDelete,
  onRefresh,
  refreshing,
}: {
  app: Application;
  tree: ApplicationTree;
  onSync: () => void;
  onDelete: () => void;
  onRefresh: (kind: 'normal' | 'hard') => void;
  refreshing: boolean;
}) {
  const { status } = app;
  return (
    <div className="panel" style={{ padding: '18px 22px' }}>
      <div className="heading">
        <Group gap="sm" style={{ minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {app.metadata.name}
          </Title>
          <StatusBadge status={status?.health?.status} size="lg" />
          <StatusBadge status={status?.sync?.status} size="lg" />
        </Group>
        <Group gap="xs" className="buttons">
          <Menu>
            <Menu.Target>
              <Button variant="default" loading={refreshing}>
                Refresh
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onRefresh('normal')}>Refresh: ask the repository now</Menu.Item>
              <Menu.Item onClick={() => onRefresh('hard')}>Hard refresh: render anew too</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <TopBarExtensions application={app} tree={tree} />
          <Button variant="default" color="red" onClick={onDelete}>
            Delete
          </Button>
          <Button onClick={onSync}>Sync</Button>
        </Group>
      </div>
      <Facts app={app} />
      <StatusExtensions application={app} tree={tree} />
    </div>
  );
}

function Facts({ app }: { app: Application }) {
  const { spec, status } = app;
  const automated = spec.syncPolicy?.automated;
  const policy =
    automated && automated.enabled !== false
      ? ['Automated', automated.prune && 'prune', automated.selfHeal && 'self-heal'].filter(Boolean).join(' · ')
      : 'Manual';
  const sources = sourcesOf(app);
  const revisions = status?.sync?.revisions?.length ? status.sync.revisions : [status?.sync?.revision ?? ''];
  return (
    <div className="fact-columns">
      <dl className="facts">
        {sources.map(({ repoURL, path, chart, targetRevision }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
          <div key={index} style={{ display: 'contents' }}>
            <dt>{sources.length > 1 ? `Source ${index + 1}` : 'Repository'}</dt>
            <dd title={repoURL}>{repoURL}</dd>
            <dt>{chart ? 'Chart' : 'Path'}</dt>
            <dd>
              {path ?? chart} <span className="soft">@ {targetRevision || 'HEAD'}</span>
            </dd>
            <dt>Revision</dt>
            <dd className="mono" title={revisions[index]}>
              {revisions[index]?.slice(0, 12)}
            </dd>
          </div>
        ))}
      </dl>
      <dl className="facts">
        <dt>Project</dt>
        <dd>{spec.project ?? 'default'}</dd>
        <dt>Destination</dt>
        <dd>
          {spec.destination.name ?? spec.destination.server?.replace('https://kubernetes.default.svc', 'in-cluster')} /{' '}
          {spec.destination.namespace}
        </dd>
        <dt>Policy</dt>
        <dd>{policy}</dd>
        <dt>Compared</dt>
        <dd>{ago(status?.reconciledAt, Date.now())}</dd>
      </dl>
    </div>
  );
}
