import { Anchor, Button, Group, Stack, Table, Tabs, Text, Textarea, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { type ApplicationRef, api, apiPath } from '../api/client.ts';
import type { ApplicationSet } from '../api/model.ts';
import { argoKind } from '../api/schemas.ts';
import { useStream } from '../api/use-stream.ts';
import { deletionsWait, rowsOf } from '../applications/application-sets.ts';
import { navigate } from '../browser/router.ts';
import { ago } from '../browser/time.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Loading } from '../components/common/loading.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { TabStrip } from '../components/common/tab-strip.tsx';
import { SetPreviewTable } from '../components/sets/set-preview.tsx';
import { t } from '../i18n/texts.ts';
import { editableYaml } from '../objects/shown-yaml.ts';

const ObjectEditor = lazy(() =>
  import('../components/editor/object-editor.tsx').then(({ ObjectEditor: editor }) => ({ default: editor })),
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
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{reference.name}</Title>
          <StatusBadge status={status?.health?.status} size="lg" />
          <Text className="soft">
            {spec.template?.spec?.project ?? 'default'} · {spec.syncPolicy?.applicationsSync ?? 'sync'}
            {spec.strategy?.type === 'RollingSync' ? ` · ${t('rolling sync')}` : ''}
          </Text>
        </Group>
        {deletionsWait(set.data) && (
          <Button color="red" variant="light" onClick={() => attempt(() => api.confirmDeletions(reference))}>
            {t('Delete what waits now')}
          </Button>
        )}
      </Group>
      {failure !== undefined && <Failure error={failure} />}
      {status?.diagnoses?.map((diagnosis) => (
        <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis} />
      ))}
      <Tabs value={tab} onChange={(next) => navigate(`${path}/${next ?? 'tree'}`)} keepMounted={false}>
        <TabStrip>
          <Tabs.Tab value="tree">{t('Applications')}</Tabs.Tab>
          <Tabs.Tab value="conditions">{t('Conditions')}</Tabs.Tab>
          <Tabs.Tab value="preview">{t('Preview')}</Tabs.Tab>
          <Tabs.Tab value="edit">{t('Edit')}</Tabs.Tab>
        </TabStrip>
        <Tabs.Panel value="tree">
          <Applications set={set.data} reference={reference} />
        </Tabs.Panel>
        <Tabs.Panel value="conditions">
          <Conditions set={set.data} />
        </Tabs.Panel>
        <Tabs.Panel value="preview">
          <Preview set={set.data} reference={reference} />
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

function EditSet({ set, saved, leave }: { set: ApplicationSet; saved: () => void; leave: () => void }) {
  // it begins with what was stored when it was opened
  const [before] = useState(set);
  return (
    <div className="on-page">
      <ObjectEditor
        name={before.metadata.name}
        text={editableYaml('ApplicationSet', before)}
        label={t('{kind} as YAML', { kind: 'ApplicationSet' })}
        kind={argoKind('ApplicationSet')}
        about={t(
          'Its applications are made, changed and deleted by what is saved here, as its policy lets it; Preview says which.',
        )}
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

function Applications({ set, reference }: { set: ApplicationSet; reference: ApplicationRef }) {
  const count = set.status?.resources?.length ?? 0;
  const elements = useQuery({
    queryKey: ['elements', reference.namespace, reference.name, count],
    queryFn: () => api.elements(reference),
    retry: false,
  });
  return (
    <DataTable
      label={t('Applications of the set')}
      heads={['Application', 'Health', 'Sync', 'Step', 'Made for', 'Generator']}
      highlightOnHover
    >
      {rowsOf(set, elements.data ?? []).map((row) => (
        <Table.Tr key={row.name}>
          <Table.Td>
            <Anchor
              component="button"
              size="sm"
              onClick={() =>
                navigate(`/applications/${encodeURIComponent(set.metadata.namespace)}/${encodeURIComponent(row.name)}`)
              }
            >
              {row.name}
            </Anchor>
          </Table.Td>
          <Table.Td>
            <StatusBadge status={row.health} />
          </Table.Td>
          <Table.Td>
            <StatusBadge status={row.sync} />
          </Table.Td>
          <Table.Td>{row.step}</Table.Td>
          <Table.Td>{row.element}</Table.Td>
          <Table.Td className="mono soft">{row.generator}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

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

/** What the set would change now, or would if its spec were the one that is written here. */
function Preview({ set, reference }: { set: ApplicationSet; reference: ApplicationRef }) {
  const [text, setText] = useState(() => JSON.stringify(set.spec, undefined, 2));
  const [asked, setAsked] = useState<ApplicationSet>();
  const [invalid, setInvalid] = useState('');
  const preview = useQuery({
    queryKey: ['preview', reference.namespace, reference.name, asked?.spec],
    queryFn: () => api.previewSet(reference, asked),
    retry: false,
  });
  const show = () => {
    try {
      setAsked({ ...set, spec: JSON.parse(text) as ApplicationSet['spec'] });
      setInvalid('');
    } catch (error) {
      setInvalid(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Stack gap="md">
      <Textarea
        label={t('Spec to try, as JSON; nothing is stored')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={6}
        maxRows={18}
        error={invalid || undefined}
        styles={{ input: { fontFamily: 'monospace' } }}
      />
      <Group>
        <Button onClick={show}>{t('Show what would change')}</Button>
      </Group>
      {preview.error && <Failure error={preview.error} retry={() => void preview.refetch()} />}
      {preview.data && <SetPreviewTable preview={preview.data} />}
    </Stack>
  );
}
