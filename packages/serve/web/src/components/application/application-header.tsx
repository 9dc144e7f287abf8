import { ActionIcon, Button, Group, Menu, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { Application, ApplicationTree, Source } from '../../api/model.ts';
import { hostPages } from '../../applications/git-host.ts';
import { shownSourcesOf } from '../../applications/sync-request.ts';
import { ago } from '../../browser/time.ts';
import { useNarrow } from '../../browser/use-narrow.ts';
import { t } from '../../i18n/texts.ts';
import { ExternalLink } from '../common/external-link.tsx';
import { Icon } from '../common/icon.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { StatusExtensions, TopBarExtensions } from '../extensions/header-extensions.tsx';
import { ApplicationWindows } from './application-windows.tsx';
import { StatusBadgeFact } from './badge-dialog.tsx';
import { MoreFacts } from './more-facts.tsx';
import { RevisionLine, RevisionLink } from './revision-line.tsx';

/** What an application is, in which state, and what can be done to it. */
export function ApplicationHeader({
  app,
  tree,
  onSync,
  onDelete,
  onPromote,
  onRefresh,
  refreshing,
}: {
  app: Application;
  tree: ApplicationTree;
  onSync: () => void;
  onDelete: () => void;
  onPromote: () => void;
  onRefresh: (kind: 'normal' | 'hard') => void;
  refreshing: boolean;
}) {
  const { status } = app;
  const narrow = useNarrow();
  // a phone shows what is below first; who wants it otherwise is asked once
  const [chosen, setChosen] = useLocalStorage<'open' | 'folded' | ''>({ key: 'tiphys.header', defaultValue: '' });
  const open = chosen === '' ? !narrow : chosen === 'open';
  return (
    <div className="panel header-panel">
      <div className="heading">
        <Group gap="sm" style={{ minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {app.metadata.name}
          </Title>
          <StatusBadge status={status?.health?.status} size={narrow ? 'md' : 'lg'} />
          <StatusBadge status={status?.sync?.status} size={narrow ? 'md' : 'lg'} />
        </Group>
        <Group gap="xs" className="buttons">
          <Menu>
            <Menu.Target>
              <Button variant="default" loading={refreshing}>
                {t('Refresh')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onRefresh('normal')}>{t('Refresh: ask the repository now')}</Menu.Item>
              <Menu.Item onClick={() => onRefresh('hard')}>{t('Hard refresh: render anew too')}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <TopBarExtensions application={app} tree={tree} />
          <RareActions narrow={narrow} onPromote={onPromote} onDelete={onDelete} />
          <Button onClick={onSync}>{t('Sync')}</Button>
          <ActionIcon
            variant="subtle"
            size="lg"
            color="gray"
            aria-expanded={open}
            aria-label={t('Facts of the application')}
            onClick={() => setChosen(open ? 'folded' : 'open')}
          >
            <Icon name={open ? 'up' : 'down'} />
          </ActionIcon>
        </Group>
      </div>
      {open ? <Facts app={app} /> : <Text className="soft summary-line one-line">{summaryOf(app)}</Text>}
      <ApplicationWindows reference={app.metadata} project={app.spec.project ?? 'default'} />
      <StatusExtensions application={app} tree={tree} />
    </div>
  );
}

/** A phone has room for what is done often. */
function RareActions({
  narrow,
  onPromote,
  onDelete,
}: {
  narrow: boolean;
  onPromote: () => void;
  onDelete: () => void;
}) {
  if (narrow)
    return (
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={t('More actions')}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onPromote}>{t('Promote')}</Menu.Item>
          <Menu.Item color="red" onClick={onDelete}>
            {t('Delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    );
  return (
    <>
      <Button variant="default" onClick={onPromote}>
        {t('Promote')}
      </Button>
      <Button variant="default" color="red" onClick={onDelete}>
        {t('Delete')}
      </Button>
    </>
  );
}

/** What matters most of an application in one line. */
function summaryOf({ spec, status }: Application): string {
  const { destination } = spec;
  const cluster = destination.name ?? destination.server?.replace('https://kubernetes.default.svc', 'in-cluster');
  const revision = (status?.sync?.revisions?.[0] ?? status?.sync?.revision ?? '').slice(0, 12);
  return [spec.project ?? 'default', `${cluster} / ${destination.namespace ?? ''}`, revision]
    .filter(Boolean)
    .join(' · ');
}

function Facts({ app }: { app: Application }) {
  const { spec, status } = app;
  const automated = spec.syncPolicy?.automated;
  const policy =
    automated && automated.enabled !== false
      ? [t('Automated'), automated.prune && 'prune', automated.selfHeal && 'self-heal'].filter(Boolean).join(' · ')
      : t('Manual');
  const sources = shownSourcesOf(app);
  const revisions = status?.sync?.revisions?.length ? status.sync.revisions : [status?.sync?.revision ?? ''];
  return (
    <div className="fact-columns">
      <dl className="facts">
        {sources.map((source, index) => (
          <SourceFacts
            // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
            key={index}
            app={app}
            source={source}
            index={index}
            title={sources.length > 1 ? t('Source {number}', { number: index + 1 }) : t('Repository')}
            revision={revisions[index] ?? ''}
          />
        ))}
      </dl>
      <dl className="facts">
        <dt>{t('Project')}</dt>
        <dd>{spec.project ?? 'default'}</dd>
        <dt>{t('Destination')}</dt>
        <dd>
          {spec.destination.name ?? spec.destination.server?.replace('https://kubernetes.default.svc', 'in-cluster')} /{' '}
          {spec.destination.namespace}
        </dd>
        <dt>{t('Policy')}</dt>
        <dd>{policy}</dd>
        <dt>{t('Compared')}</dt>
        <dd title={t('Where there are many applications, looks that find nothing new are noted less often.')}>
          {ago(status?.reconciledAt, Date.now())}
        </dd>
        <MoreFacts app={app} />
        <StatusBadgeFact reference={app.metadata} />
      </dl>
    </div>
  );
}

/** Where one source is, and what is deployed of it; its parts lead to the pages that its host has of them. */
function SourceFacts({
  app,
  source,
  index,
  title,
  revision,
}: {
  app: Application;
  source: Source;
  index: number;
  title: string;
  revision: string;
}) {
  const { repoURL = '', path, chart, targetRevision = '' } = source;
  const pages = chart ? undefined : hostPages(repoURL);
  return (
    <div style={{ display: 'contents' }}>
      <dt>{title}</dt>
      <dd title={repoURL}>
        <ExternalLink to={pages?.repository}>{repoURL}</ExternalLink>
      </dd>
      <dt>{chart ? t('Chart') : t('Path')}</dt>
      <dd>
        <ExternalLink to={pages?.file(revision || targetRevision, path ?? '')}>{path ?? chart}</ExternalLink>{' '}
        <span className="soft">@ {targetRevision || 'HEAD'}</span>
      </dd>
      <dt>{t('Revision')}</dt>
      <dd>
        {revision ? (
          <RevisionLink source={source} revision={revision} />
        ) : (
          <span className="soft">{t('not known yet')}</span>
        )}
        {revision && <RevisionLine reference={app.metadata} source={source} revision={revision} sourceIndex={index} />}
      </dd>
    </div>
  );
}
