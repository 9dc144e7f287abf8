import { Anchor, Breadcrumbs, Button, Group, Stack, Table, Tabs, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { type ApplicationRef, api, apiPath } from '../api/client.ts';
import type { ApplicationSet, SetElement } from '../api/model.ts';
import { useStream } from '../api/use-stream.ts';
import { deletionsWait } from '../applications/application-sets.ts';
import { navigate } from '../browser/router.ts';
import { ago } from '../browser/time.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { EventFeed } from '../components/common/event-feed.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { TabStrip } from '../components/common/tab-strip.tsx';
import { ConfirmButton } from '../components/forms/confirm-button.tsx';
import { SetChanges } from '../components/sets/set-preview.tsx';
import { SetTree } from '../components/sets/set-tree.tsx';
import { t } from '../i18n/texts.ts';

const SetEditor = lazy(() =>
  import('../components/sets/set-editor.tsx').then(({ SetEditor: editor }) => ({ default: editor })),
);

/** One ApplicationSet: its Applications and what they are made for, its conditions, and what an edit would change. */
export function ApplicationSetPage({ reference, tab }: { reference: ApplicationRef; tab: string }) {
  const queries = useQueryClient();
  const key = ['applicationset', reference.namespace, reference.name];
  const set = useQuery({ queryKey: key, queryFn: () => api.applicationSet(reference) });
  const again = () => void queries.invalidateQueries({ queryKey: key });
  useStream(
    apiPath('stream/applicationsets', { name: reference.name, appSetNamespace: reference.namespace }),
    again,
    again,
  );
  const [failure, setFailure] = useState<unknown>();
  const attempt = (act: () => Promise<unknown>) => {
    setFailure(undefined);
    act().then(again, setFailure);
  };
  const path = `/applicationsets/${encodeURIComponent(reference.namespace)}/${encodeURIComponent(reference.name)}`;
  if (set.error) return <Failure error={set.error} retry={() => void set.refetch()} />;
  if (!set.data) return <Loading />;
  const { status, spec } = set.data;
  return (
    <Stack maw={1400} mx="auto" gap="md">
      <Breadcrumbs>
        <Anchor component="button" onClick={() => navigate('/applicationsets')}>
          {t('Application sets')}
        </Anchor>
        <Text style={{ overflowWrap: 'anywhere' }}>{reference.name}</Text>
      </Breadcrumbs>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{reference.name}</Title>
          <StatusBadge status={status?.health?.status} size="lg" />
          <Text className="soft">
            {spec.template?.spec?.project ?? 'default'} · {spec.syncPolicy?.applicationsSync ?? 'sync'}
            {spec.strategy?.type === 'RollingSync' ? ` · ${t('rolling sync')}` : ''}
          </Text>
        </Group>
        <Group gap="xs">
          {deletionsWait(set.data) && (
            <Button color="red" variant="light" onClick={() => attempt(() => api.confirmDeletions(reference))}>
              {t('Delete what waits now')}
            </Button>
          )}
          <ConfirmButton
            label={t('Delete')}
            size="sm"
            title={t('Delete {name}?', { name: reference.name })}
            effect={deletionEffect(set.data)}
            run={() => api.removeSet(reference)}
            done={() => navigate('/applicationsets')}
          />
        </Group>
      </Group>
      {failure !== undefined && <Failure error={failure} />}
      {status?.diagnoses?.map((diagnosis) => (
        <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis} />
      ))}
      <Tabs value={tab} onChange={(next) => navigate(`${path}/${next ?? 'tree'}`)} keepMounted={false}>
        <TabStrip>
          <Tabs.Tab value="tree">{t('Applications')}</Tabs.Tab>
          <Tabs.Tab value="conditions">{t('Conditions')}</Tabs.Tab>
          <Tabs.Tab value="events">{t('Events')}</Tabs.Tab>
          <Tabs.Tab value="preview">{t('Preview')}</Tabs.Tab>
          <Tabs.Tab value="edit">{t('Edit')}</Tabs.Tab>
        </TabStrip>
        <Tabs.Panel value="tree">
          <Applications set={set.data} reference={reference} attempt={attempt} />
        </Tabs.Panel>
        <Tabs.Panel value="conditions">
          <Conditions set={set.data} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventFeed of={key} read={() => api.setEvents(reference)} />
        </Tabs.Panel>
        <Tabs.Panel value="preview">
          <Stack gap="sm">
            <Text size="sm" className="soft">
              {t('What its controller would do now; Edit shows the same for another spec.')}
            </Text>
            <SetChanges reference={reference} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="edit">
          <Suspense fallback={null}>
            <EditSet set={set.data} saved={() => void set.refetch()} leave={() => navigate(`${path}/tree`)} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** What becomes of the Applications of a set that is deleted. */
function deletionEffect({ spec, status }: ApplicationSet): string {
  const count = status?.resourcesCount ?? status?.resources?.length ?? 0;
  return spec.syncPolicy?.preserveResourcesOnDeletion
    ? t('Its {count} applications are deleted; their objects stay in the clusters.', { count })
    : t('Its {count} applications are deleted, and all objects that they have deployed.', { count });
}

function EditSet({ set, saved, leave }: { set: ApplicationSet; saved: () => void; leave: () => void }) {
  // it begins with what was stored when it was opened
  const [before] = useState(set);
  return (
    <div className="on-page">
      <SetEditor
        set={before}
        action={t('Save')}
        save={api.saveSet}
        saved={() => {
          saved();
          leave();
        }}
        cancel={leave}
      />
    </div>
  );
}

function Applications({
  set,
  reference,
  attempt,
}: {
  set: ApplicationSet;
  reference: ApplicationRef;
  attempt: (act: () => Promise<unknown>) => void;
}) {
  const count = set.status?.resources?.length ?? 0;
  const elements = useQuery({
    queryKey: ['elements', reference.namespace, reference.name, count],
    queryFn: () => api.elements(reference),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <Stack gap="sm">
      {elements.error && <Failure error={elements.error} retry={() => void elements.refetch()} />}
      <SetTree
        set={set}
        elements={elements.data ?? none}
        refresh={(name) => attempt(() => api.refresh({ namespace: reference.namespace, name }, 'normal'))}
      />
    </Stack>
  );
}

/** The same object each time, so that a graph of it stays. */
const none: readonly SetElement[] = [];

function Conditions({ set }: { set: ApplicationSet }) {
  return (
    <DataTable label={t('Rollout')}>
      {(set.status?.conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => (
        <Table.Tr key={type}>
          <Table.Td fw={600}>{type}</Table.Td>
          <Table.Td>{status}</Table.Td>
          <Table.Td>{reason}</Table.Td>
          <Table.Td style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{message}</Table.Td>
          <Table.Td className="soft">{ago(lastTransitionTime, Date.now())}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
