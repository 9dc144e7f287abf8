import { Badge, Button, Drawer, Group, Select, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { stringify } from 'yaml';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { Application, ApplicationTree, ManagedResource, ResourceStatus, TreeNode } from '../../api/model.ts';
import { ownObjectTab } from '../../applications/peer-addresses.ts';
import { useSearch } from '../../browser/router.ts';
import { ago } from '../../browser/time.ts';
import { resourceTabs } from '../../extensions/registry.ts';
import { useExtensions } from '../../extensions/use-extensions.ts';
import { t } from '../../i18n/texts.ts';
import { containersOf } from '../../objects/containers.ts';
import { titleOfObject } from '../../objects/differences.ts';
import { linksOf, ownPage } from '../../objects/object-pages.ts';
import { factsOf, hasLogs, labelsOf, objectKey } from '../../objects/objects.ts';
import { DiffView } from '../application/diff-view.tsx';
import { EventList } from '../application/event-list.tsx';
import { ExternalLink } from '../common/external-link.tsx';
import { Failure } from '../common/failure.tsx';
import { KindIcon } from '../common/kind-icon.tsx';
import { Loading } from '../common/loading.tsx';
import { followTo } from '../common/page-link.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { TabStrip } from '../common/tab-strip.tsx';
import { ExtensionIcon } from '../extensions/extension-icon.tsx';
import { ExtensionSlot } from '../extensions/extension-slot.tsx';
import { LogView } from '../logs/log-view.tsx';
import { FieldOwnerList } from './field-owner-list.tsx';
import { OriginView } from './origin-view.tsx';
import { ResourceActions } from './resource-actions.tsx';

/** Only who opens a terminal or an editor loads one. */
const TerminalView = lazy(() => import('./terminal-view.tsx').then(({ TerminalView: view }) => ({ default: view })));
const YamlView = lazy(() => import('../editor/yaml-view.tsx').then(({ YamlView: view }) => ({ default: view })));
const LiveEditor = lazy(() => import('./live-editor.tsx').then(({ LiveEditor: view }) => ({ default: view })));

interface NodeDrawerProps {
  reference: ApplicationRef;
  application: Application;
  tree: ApplicationTree;
  node: TreeNode | undefined;
  status: readonly ResourceStatus[];
  /** Starts a sync of this object alone. */
  onSync: (key: string) => void;
  close: () => void;
}

/** One object, also one that is missing: what it is, what it should be, what happened to it, and what can be done to it. */
export function NodeDrawer({ node, close, ...rest }: NodeDrawerProps) {
  return (
    <Drawer
      opened={node !== undefined}
      onClose={close}
      position="right"
      size="min(920px, 100vw)"
      title={
        node && (
          <Text fw={650} style={{ overflowWrap: 'anywhere' }}>
            <KindIcon group={node.group} kind={node.kind} size={20} />{' '}
            {`${node.kind} ${node.namespace ? `${node.namespace}/` : ''}${node.name}`}
          </Text>
        )
      }
    >
      {node && <NodeView key={objectKey(node)} node={node} close={close} {...rest} />}
    </Drawer>
  );
}

function NodeView({ reference, application, tree, node, status, onSync }: NodeDrawerProps & { node: TreeNode }) {
  const [search, changeSearch] = useSearch();
  const own = status.find((item) => objectKey(item) === objectKey(node));
  const missing = node.uid === undefined;
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const live = useQuery({
    queryKey: ['live', reference.namespace, reference.name, objectKey(node)],
    queryFn: () => api.live(reference, node),
    refetchInterval: 5_000,
    enabled: !missing,
  });
  const managed = useQuery({
    queryKey: ['application', reference.namespace, reference.name, 'managed'],
    queryFn: () => api.managed(reference),
    enabled: own !== undefined,
  });
  const desired = managed.data?.find((item) => objectKey(item) === objectKey(node));
  const object: unknown = live.data === undefined ? undefined : JSON.parse(live.data);
  const isPod = node.kind === 'Pod' && (node.group ?? '') === '';
  const extensions = resourceTabs(useExtensions().resources, node.group ?? '', node.kind);
  const differs = own?.status === 'OutOfSync';
  const page = ownPage(application, node);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {node.health?.status && <StatusBadge status={node.health.status} />}
        {own?.status && <StatusBadge status={own.status} />}
        {node.createdAt && (
          <Text size="sm" className="soft">
            {t('created {ago}', { ago: ago(node.createdAt, Date.now()) })}
          </Text>
        )}
        {factsOf(node).map(({ name, value }) => (
          <Badge key={name} variant="default" tt="none" fw={500} title={name}>
            {value}
          </Badge>
        ))}
        {labelsOf(node).map((label) => (
          <Badge key={label} variant="default" tt="none" fw={500}>
            {label}
          </Badge>
        ))}
      </Group>
      {node.health?.message && <Text size="sm">{node.health.message}</Text>}
      {node.images && node.images.length > 0 && (
        <Text className="mono" style={{ overflowWrap: 'anywhere' }}>
          {node.images.join(', ')}
        </Text>
      )}
      <Group gap="xs">
        {!missing && <ResourceActions reference={reference} node={node} live={object} />}
        {own && !own.hook && (
          <Button size="xs" variant="default" onClick={() => onSync(objectKey(own))}>
            {t('Sync this')}
          </Button>
        )}
        {page && (
          <Button size="xs" variant="default" component="a" href={page} onClick={followTo(page)}>
            {t('Go to its page')}
          </Button>
        )}
        {linksOf(node).map(({ title, url }) => (
          <Text key={title + url} span size="sm">
            <ExternalLink to={url}>{title} ↗</ExternalLink>
          </Text>
        ))}
        {!missing && <Links reference={reference} node={node} />}
      </Group>
      <Tabs
        value={search.get('nodeTab') ?? ownObjectTab(search) ?? (missing ? 'desired' : differs ? 'diff' : 'manifest')}
        onChange={(tab) => changeSearch({ nodeTab: tab ?? undefined, tab: undefined })}
        keepMounted={false}
      >
        <TabStrip>
          {!missing && <Tabs.Tab value="manifest">{t('Live manifest')}</Tabs.Tab>}
          {own && <Tabs.Tab value="desired">{t('Desired')}</Tabs.Tab>}
          {own && <Tabs.Tab value="origin">{t('Origin')}</Tabs.Tab>}
          {own && <Tabs.Tab value="diff">{t('Diff')}</Tabs.Tab>}
          {!missing && <Tabs.Tab value="events">{t('Events')}</Tabs.Tab>}
          {!missing && hasLogs(node) && <Tabs.Tab value="logs">{t('Logs')}</Tabs.Tab>}
          {!missing && <Tabs.Tab value="fields">{t('Fields')}</Tabs.Tab>}
          {isPod && settings.data?.execEnabled && <Tabs.Tab value="terminal">{t('Terminal')}</Tabs.Tab>}
          {!missing &&
            extensions.map(({ title, icon }) => (
              <Tabs.Tab key={title} value={`extension:${title}`} leftSection={icon && <ExtensionIcon name={icon} />}>
                {title}
              </Tabs.Tab>
            ))}
        </TabStrip>
        <Suspense fallback={<Loading />}>
          <Tabs.Panel value="manifest">
            {live.error ? (
              <Failure error={live.error} retry={() => void live.refetch()} />
            ) : object === undefined ? (
              <Loading />
            ) : (
              <Live reference={reference} node={node} object={object} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="desired">
            <Desired item={desired} loading={managed.isLoading} />
          </Tabs.Panel>
          <Tabs.Panel value="origin">
            <OriginView application={application} node={node} />
          </Tabs.Panel>
          <Tabs.Panel value="diff">
            <DiffView application={application} only={titleOfObject(node)} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <EventList reference={reference} node={node} />
          </Tabs.Panel>
          <Tabs.Panel value="logs">
            <Logs reference={reference} node={node} object={object} />
          </Tabs.Panel>
          <Tabs.Panel value="fields">
            {live.error ? (
              <Failure error={live.error} retry={() => void live.refetch()} />
            ) : object === undefined ? (
              <Loading />
            ) : (
              <FieldOwnerList object={object} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="terminal">
            <Terminal
              reference={reference}
              project={application.spec.project ?? 'default'}
              node={node}
              object={object}
            />
          </Tabs.Panel>
          {object !== undefined &&
            extensions.map(({ title, component: Content }) => (
              <Tabs.Panel key={title} value={`extension:${title}`}>
                <ExtensionSlot title={title}>
                  <Content application={application} tree={tree} resource={object} />
                </ExtensionSlot>
              </Tabs.Panel>
            ))}
        </Suspense>
      </Tabs>
    </Stack>
  );
}

interface ObjectProps {
  reference: ApplicationRef;
  node: TreeNode;
  object: unknown;
}

function Live({ reference, node, object }: ObjectProps) {
  const [editing, setEditing] = useState<unknown>();
  if (editing !== undefined)
    return (
      <LiveEditor
        reference={reference}
        node={node}
        object={editing}
        text={withoutNoise(editing)}
        close={() => setEditing(undefined)}
      />
    );
  return (
    <Stack gap="xs">
      <Group justify="flex-end">
        <Button size="compact-xs" variant="default" onClick={() => setEditing(object)}>
          {t('Edit')}
        </Button>
      </Group>
      <YamlView text={withoutNoise(object)} />
    </Stack>
  );
}

function Desired({ item, loading }: { item: ManagedResource | undefined; loading: boolean }) {
  const text = item?.targetState;
  if (loading) return <Loading />;
  if (!text || text === 'null')
    return <Text className="soft">{t('The sources do not have it: a sync with prune deletes it.')}</Text>;
  return <YamlView text={withoutNoise(JSON.parse(text))} />;
}

function Logs({ reference, node, object }: ObjectProps) {
  const [container, setContainer] = useState<string>();
  const containers = containersOf(
    node.kind === 'Pod' ? object : (object as { spec?: { template?: unknown } })?.spec?.template,
  );
  const shown = container ?? containers[0] ?? '';
  return (
    <>
      {containers.length > 1 && <ContainerSelect containers={containers} value={shown} choose={setContainer} />}
      <LogView
        key={shown}
        reference={reference}
        subject={{
          kind: node.kind,
          group: node.group ?? '',
          name: node.name,
          namespace: node.namespace ?? '',
        }}
        container={shown}
      />
    </>
  );
}

function Terminal({ reference, project, node, object }: ObjectProps & { project: string }) {
  const [container, setContainer] = useState<string>();
  const containers = containersOf(object);
  const shown = container ?? containers[0];
  return (
    <>
      {containers.length > 1 && <ContainerSelect containers={containers} value={shown ?? ''} choose={setContainer} />}
      {shown && <TerminalView reference={reference} project={project} pod={node} container={shown} />}
    </>
  );
}

interface ContainerSelectProps {
  containers: string[];
  value: string;
  choose: (container: string) => void;
}

function ContainerSelect({ containers, value, choose }: ContainerSelectProps) {
  return (
    <Select
      label={t('Container')}
      data={containers}
      value={value}
      allowDeselect={false}
      onChange={(next) => next && choose(next)}
      mb="sm"
      maw={320}
    />
  );
}

function Links({ reference, node }: { reference: ApplicationRef; node: TreeNode }) {
  const links = useQuery({
    queryKey: ['links', reference.namespace, reference.name, objectKey(node)],
    queryFn: () => api.links(reference, node),
    retry: false,
    staleTime: 60_000,
  });
  return links.data?.map(({ title = '', url = '' }) => (
    <Text key={title + url} span size="sm">
      <ExternalLink to={url}>{title || url} ↗</ExternalLink>
    </Text>
  ));
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
