import { Anchor, Breadcrumbs, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { api, apiPath, RequestError } from '../api/client.ts';
import type { Application, ApplicationTree, TreeNode, WatchEvent } from '../api/model.ts';
import { useStream } from '../api/use-stream.ts';
import { groupDiagnoses } from '../applications/group-diagnoses.ts';
import { ownApplicationTab } from '../applications/peer-addresses.ts';
import { navigate, useSearch } from '../browser/router.ts';
import { useKeys } from '../browser/use-keys.ts';
import { ApplicationHeader } from '../components/application/application-header.tsx';
import { DeleteDialog } from '../components/application/delete-dialog.tsx';
import { ApplicationDiff } from '../components/application/diff-view.tsx';
import { EventList } from '../components/application/event-list.tsx';
import { HistoryList } from '../components/application/history-list.tsx';
import { NoticeBanner } from '../components/application/notice-banner.tsx';
import { OperationPanel } from '../components/application/operation-panel.tsx';
import { PromoteDialog } from '../components/application/promote-dialog.tsx';
import { RemedyButton } from '../components/application/remedy-button.tsx';
import { RenderList } from '../components/application/render-list.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { TabStrip } from '../components/common/tab-strip.tsx';
import { ExtensionIcon } from '../components/extensions/extension-icon.tsx';
import { ExtensionSlot } from '../components/extensions/extension-slot.tsx';
import { LogView } from '../components/logs/log-view.tsx';
import { NodeDrawer } from '../components/object/node-drawer.tsx';
import { SyncDialog } from '../components/sync/sync-dialog.tsx';
import { ResourceTree } from '../components/tree/resource-tree.tsx';
import { resourceTabs } from '../extensions/registry.ts';
import { useExtensions } from '../extensions/use-extensions.ts';
import { t } from '../i18n/texts.ts';
import { objectKey, withMissing } from '../objects/objects.ts';

const EditApplication = lazy(() =>
  import('../components/create/edit-application.tsx').then(({ EditApplication: editor }) => ({ default: editor })),
);

/** The API leaves out what all of its answers are. */
const asObject = (app: Application) => ({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', ...app });

/** With all of its lists, which extensions take for granted; empty until it is there. */
const wholeTree = (tree: ApplicationTree | undefined): ApplicationTree => ({
  nodes: tree?.nodes ?? [],
  orphanedNodes: tree?.orphanedNodes ?? [],
  hosts: tree?.hosts ?? [],
});

/** The server says the same of what there is not and of what may not be seen, so that nobody learns which. */
const isUnseen = (error: unknown) => error instanceof RequestError && (error.status === 403 || error.status === 404);

export function ApplicationPage({ namespace, name, tab: given }: { namespace: string; name: string; tab: string }) {
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
  // a stream begins with the whole tree: beside the first read it would only make that slower
  useStream<ApplicationTree>(
    tree.data && apiPath(`stream/applications/${encodeURIComponent(name)}/resource-tree`, { appNamespace: namespace }),
    (changed) => queries.setQueryData([...key, 'tree'], changed),
    () => undefined,
  );
  const [search, changeSearch] = useSearch();
  const tab = given === 'tree' ? (ownApplicationTab(search, name) ?? given) : given;
  const [syncing, setSyncing] = useState<true | string | undefined>(() => search.get('deploy') === 'all' || undefined);
  const extensions = resourceTabs(useExtensions().resources, 'argoproj.io', 'Application');
  const [deleting, setDeleting] = useState(false);
  const [promoting, setPromoting] = useState(false);
  const setNode = (
    chosen: TreeNode | undefined,
    { tab, act, remove }: { tab?: string; act?: string; remove?: true } = {},
  ) =>
    changeSearch({
      node: chosen && objectKey(chosen),
      nodeTab: tab,
      nodeAct: act,
      nodeDelete: remove ? 'true' : undefined,
      // what the peers call the tab
      tab: undefined,
    });
  const refresh = useMutation({
    mutationFn: (kind: 'normal' | 'hard') => api.refresh(ref, kind),
    onSuccess: (fresh) => queries.setQueryData(key, fresh),
  });

  useKeys({ s: () => setSyncing(true), r: () => refresh.mutate('normal') });

  const resources = application.data?.status?.resources;
  const objects = useMemo(
    () => (tree.data ? withMissing(tree.data.nodes ?? [], resources ?? []) : []),
    [tree.data, resources],
  );
  const whole = useMemo(() => wholeTree(tree.data), [tree.data]);
  const crumbs = (
    <Breadcrumbs>
      <Anchor component="button" onClick={() => navigate('/applications')}>
        {t('Applications')}
      </Anchor>
      <Text>{name}</Text>
    </Breadcrumbs>
  );
  if (application.error)
    return (
      <Stack gap="md" maw={1600} mx="auto">
        {crumbs}
        <Failure
          error={application.error}
          {...(isUnseen(application.error)
            ? { title: t('There is no application {name}, or you may not see it', { name }) }
            : {})}
          retry={() => void application.refetch()}
        />
      </Stack>
    );
  if (!application.data) return <Loading height={320} />;
  const app = application.data;
  // the peers' addresses have the number of a tab at the end
  const wanted = search.get('node')?.split('/').slice(0, 4).join('/');
  const node =
    wanted === undefined
      ? undefined
      : [...objects, ...(tree.data?.orphanedNodes ?? [])].find((one) => objectKey(one) === wanted);
  const managed = new Set((app.status?.resources ?? []).map(objectKey));
  const acts = {
    open: setNode,
    sync: (chosen: TreeNode) => (managed.has(objectKey(chosen)) ? () => setSyncing(objectKey(chosen)) : undefined),
  };
  const show = (next: string) =>
    navigate(
      `/applications/${encodeURIComponent(app.metadata.namespace)}/${encodeURIComponent(name)}/${encodeURIComponent(next)}`,
    );
  return (
    <Stack gap="md" maw={1600} mx="auto">
      {crumbs}
      <NoticeBanner application={app} />
      <ApplicationHeader
        app={app}
        tree={whole}
        onSync={() => setSyncing(true)}
        onDelete={() => setDeleting(true)}
        onPromote={() => setPromoting(true)}
        onRefresh={refresh.mutate}
        refreshing={refresh.isPending}
      />
      {refresh.error && <Failure error={refresh.error} />}
      {groupDiagnoses(app.status?.diagnoses ?? []).map((group) => (
        <DiagnosisPanel
          key={group.diagnosis.code + group.diagnosis.message}
          diagnosis={group.diagnosis}
          others={group.others}
          gaveUp={group.gaveUp}
          done={group.done}
        >
          <RemedyButton group={group} application={app} sync={() => setSyncing(true)} />
        </DiagnosisPanel>
      ))}
      {app.status?.operationState && (
        <OperationPanel application={app} state={app.status.operationState} nodes={objects} />
      )}
      <Tabs value={tab} onChange={(next) => show(next ?? 'tree')} keepMounted={false}>
        <TabStrip>
          <Tabs.Tab value="tree">{t('Resources')}</Tabs.Tab>
          <Tabs.Tab value="diff">{t('Diff')}</Tabs.Tab>
          <Tabs.Tab value="events">{t('Events')}</Tabs.Tab>
          <Tabs.Tab value="logs">{t('Logs')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('History')}</Tabs.Tab>
          <Tabs.Tab value="renders">{t('Renders')}</Tabs.Tab>
          <Tabs.Tab value="edit">{t('Edit')}</Tabs.Tab>
          {extensions.map(({ title, icon }) => (
            <Tabs.Tab key={title} value={`extension:${title}`} leftSection={icon && <ExtensionIcon name={icon} />}>
              {title}
            </Tabs.Tab>
          ))}
        </TabStrip>
        <Tabs.Panel value="tree">
          {tree.error && app.status?.diagnoses?.length ? (
            <Text className="soft">{t('The objects are shown as soon as the problem above is solved.')}</Text>
          ) : tree.error ? (
            <Failure error={tree.error} retry={() => void tree.refetch()} />
          ) : (
            <ResourceTree
              application={app}
              tree={whole}
              nodes={objects}
              orphans={tree.data?.orphanedNodes ?? []}
              hosts={tree.data?.hosts ?? []}
              acts={acts}
              selected={node && objectKey(node)}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="diff">
          <ApplicationDiff application={app} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventList reference={ref} />
        </Tabs.Panel>
        <Tabs.Panel value="logs">
          <LogView reference={ref} subject={{}} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryList application={app} />
        </Tabs.Panel>
        {extensions.map(({ title, component: Content }) => (
          <Tabs.Panel key={title} value={`extension:${title}`}>
            <ExtensionSlot title={title}>
              <Content application={app} tree={whole} resource={asObject(app)} />
            </ExtensionSlot>
          </Tabs.Panel>
        ))}
        <Tabs.Panel value="edit">
          <Suspense fallback={<Loading height={320} />}>
            <EditApplication application={app} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="renders">
          <RenderList reference={ref} several={(app.spec.sources?.length ?? 0) > 1} />
        </Tabs.Panel>
      </Tabs>
      {promoting && <PromoteDialog application={app} close={() => setPromoting(false)} />}
      <SyncDialog
        application={app}
        only={syncing === true ? undefined : syncing}
        opened={syncing !== undefined}
        close={() => setSyncing(undefined)}
      />
      <DeleteDialog application={app} opened={deleting} close={() => setDeleting(false)} />
      <NodeDrawer
        reference={ref}
        application={app}
        tree={whole}
        node={node}
        onSync={(key) => {
          setNode(undefined);
          setSyncing(key);
        }}
        status={app.status?.resources ?? []}
        close={() => setNode(undefined)}
      />
    </Stack>
  );
}
