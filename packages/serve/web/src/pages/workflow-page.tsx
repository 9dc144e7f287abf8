import { Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { stringify } from 'yaml';
import type { ApplicationRef } from '../api/client.ts';
import type { Workflow } from '../api/families.ts';
import { flow } from '../api/flow.ts';
import { useSearch } from '../browser/router.ts';
import { ago, span } from '../browser/time.ts';
import { ConditionTable } from '../components/common/condition-table.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { Failure } from '../components/common/failure.tsx';
import { lookAgain } from '../components/common/family-list.tsx';
import { Loading } from '../components/common/loading.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { WorkflowActions } from '../components/workflows/workflow-actions.tsx';
import { WorkflowGraph } from '../components/workflows/workflow-graph.tsx';
import { WorkflowLog } from '../components/workflows/workflow-log.tsx';
import { WorkflowNodeDrawer } from '../components/workflows/workflow-node-drawer.tsx';
import { WorkflowTimeline } from '../components/workflows/workflow-timeline.tsx';
import { waitsForSomebody } from '../families/workflow-verbs.ts';
import { t } from '../i18n/texts.ts';

const YamlView = lazy(() =>
  import('../components/editor/yaml-view.tsx').then(({ YamlView: view }) => ({ default: view })),
);

/** One Workflow: its nodes as a graph and over time, what each did, and what can be done. */
export function WorkflowPage({ reference }: { reference: ApplicationRef }) {
  const [search] = useSearch();
  const uid = search.get('uid') ?? '';
  const workflow = useQuery({
    queryKey: ['workflows', reference.namespace, reference.name, uid],
    queryFn: () => flow.workflow(reference, uid),
    refetchInterval: ({ state }) => (state.data?.finished ? false : lookAgain),
    retry: false,
  });
  if (!workflow.data && workflow.error) return <Failure error={workflow.error} retry={() => void workflow.refetch()} />;
  if (!workflow.data) return <Loading />;
  const { data } = workflow;
  const { started, finished, progress } = data;
  const waiting = data.nodes.filter(waitsForSomebody);
  return (
    <Stack maw={1600} mx="auto" gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {data.name}
          </Title>
          <StatusBadge status={data.phase} size="lg" />
          <Text className="soft">
            {[
              data.namespace,
              data.archived && t('archived'),
              progress && t('{progress} done', { progress }),
              started && t('started {ago}', { ago: ago(started, Date.now()) }),
              started &&
                (finished
                  ? t('took {time}', { time: span(started, finished) })
                  : t('runs for {time}', { time: span(started, new Date().toISOString()) })),
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        </Group>
        {data.mayAct && <WorkflowActions reference={reference} workflow={data} />}
      </Group>
      {workflow.error && <Failure error={workflow.error} retry={() => void workflow.refetch()} />}
      {data.message && <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{data.message}</Text>}
      {data.diagnoses.map((diagnosis) => (
        <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis} />
      ))}
      {waiting.length > 0 && (
        <Text>
          {t('Waits until somebody resumes it, or for a duration: {nodes}', {
            nodes: waiting
              .slice(0, 5)
              .map(({ name }) => name)
              .join(', '),
          })}
        </Text>
      )}
      {data.note && <Text className="soft">{data.note}</Text>}
      <Nodes reference={reference} workflow={data} uid={uid} />
      {data.conditions.length > 0 && <ConditionTable conditions={data.conditions} />}
    </Stack>
  );
}

function Nodes({ reference, workflow, uid }: { reference: ApplicationRef; workflow: Workflow; uid: string }) {
  const [search, change] = useSearch();
  // a graph on a narrow screen is too small to be read
  const view = search.get('view') ?? (window.innerWidth < 700 ? 'timeline' : 'graph');
  const [text, setText] = useState('');
  const open = search.get('node') ?? '';
  const node = workflow.nodes.find(({ id }) => id === open);
  const views = [
    { label: t('Graph'), value: 'graph' },
    { label: t('Timeline'), value: 'timeline' },
    ...(workflow.mayAct
      ? [
          { label: t('Logs'), value: 'logs' },
          { label: 'YAML', value: 'yaml' },
        ]
      : []),
  ];
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label={t('View')}
          value={view}
          onChange={(value) => change({ view: value })}
          data={views}
        />
        {(view === 'graph' || view === 'timeline') && (
          <TextInput
            placeholder={t('Find nodes')}
            aria-label={t('Find nodes')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Text size="sm" className="soft">
          {t('{count} nodes', { count: workflow.nodes.length })}
        </Text>
      </Group>
      {workflow.nodes.length === 0 && <Text className="soft">{t('It has no nodes yet.')}</Text>}
      {view === 'graph' && workflow.nodes.length > 0 && (
        <WorkflowGraph nodes={workflow.nodes} text={text} onOpen={({ id }) => change({ node: id })} />
      )}
      {view === 'timeline' && workflow.nodes.length > 0 && (
        <WorkflowTimeline nodes={workflow.nodes} text={text} onOpen={({ id }) => change({ node: id })} />
      )}
      {view === 'logs' && <WorkflowLog reference={reference} podName="" runs={!workflow.finished} />}
      {view === 'yaml' && <Manifest reference={reference} uid={uid} />}
      <WorkflowNodeDrawer
        reference={reference}
        workflow={workflow}
        node={node}
        close={() => change({ node: undefined })}
      />
    </Stack>
  );
}

function Manifest({ reference, uid }: { reference: ApplicationRef; uid: string }) {
  const manifest = useQuery({
    queryKey: ['workflows', reference.namespace, reference.name, uid, 'manifest'],
    queryFn: () => flow.manifest(reference, uid),
    retry: false,
  });
  if (manifest.error) return <Failure error={manifest.error} />;
  if (!manifest.data) return <Loading />;
  return (
    <Suspense fallback={null}>
      <YamlView text={stringify(manifest.data)} />
    </Suspense>
  );
}
