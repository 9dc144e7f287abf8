import { Anchor, Button, Drawer, Group, Stack, Table, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { stringify } from 'yaml';
import type { ApplicationRef } from '../../api/client.ts';
import type { Workflow, WorkflowNode } from '../../api/families.ts';
import { type Artifact, artifactAddress, flow, type NodeDetail } from '../../api/flow.ts';
import { span } from '../../browser/time.ts';
import { whyOf } from '../../families/workflow-verbs.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { TabStrip } from '../common/tab-strip.tsx';
import { PodEvents } from './pod-events.tsx';
import { WorkflowLog } from './workflow-log.tsx';

const YamlView = lazy(() => import('../editor/yaml-view.tsx').then(({ YamlView: view }) => ({ default: view })));

interface DrawerProps {
  reference: ApplicationRef;
  workflow: Workflow;
  node: WorkflowNode | undefined;
  close: () => void;
}

/** One node: why it is as it is, what it was given and gave, its log and the Events of its pod. */
export function WorkflowNodeDrawer({ reference, workflow, node, close }: DrawerProps) {
  return (
    <Drawer
      opened={node !== undefined}
      onClose={close}
      position="right"
      size="min(920px, 100vw)"
      title={
        node && (
          <Text fw={650} style={{ overflowWrap: 'anywhere' }}>
            {node.name}
          </Text>
        )
      }
    >
      {node && <NodeView key={node.id} reference={reference} workflow={workflow} node={node} />}
    </Drawer>
  );
}

function NodeView({
  reference,
  workflow,
  node,
}: {
  reference: ApplicationRef;
  workflow: Workflow;
  node: WorkflowNode;
}) {
  const detail = useQuery({
    queryKey: ['workflows', reference.namespace, reference.name, workflow.uid, node.id, node.phase],
    queryFn: () => flow.node(reference, node.id, workflow.archived ? (workflow.uid ?? '') : ''),
    enabled: workflow.mayAct === true,
    retry: false,
  });
  const why = whyOf(node, workflow.nodes);
  const runs = node.phase === 'Running' || node.phase === 'Pending';
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <StatusBadge status={node.phase} />
        <Text size="sm" className="soft">
          {[node.type, node.template, node.started && span(node.started, node.finished || new Date().toISOString())]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </Group>
      {why && (
        <section className="panel" style={{ padding: 12 }} aria-label={t('Why')}>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {why}
          </Text>
          {detail.data?.locks.map(({ name, holders }) => (
            <Text key={name} size="sm">
              {holders.length > 0
                ? t('{name} is held by {holders}', { name, holders: holders.join(', ') })
                : t('{name} is held by nobody that is known', { name })}
            </Text>
          ))}
        </section>
      )}
      {workflow.mayAct !== true && (
        <Text size="sm" className="soft">
          {t('Inputs, outputs and logs are shown to who may update all clusters.')}
        </Text>
      )}
      {detail.error && <Failure error={detail.error} retry={() => void detail.refetch()} />}
      {detail.data && (
        <Tabs defaultValue={node.type === 'Pod' ? 'logs' : 'values'} keepMounted={false}>
          <TabStrip>
            {node.type === 'Pod' && <Tabs.Tab value="logs">{t('Logs')}</Tabs.Tab>}
            <Tabs.Tab value="values">{t('Inputs and outputs')}</Tabs.Tab>
            {node.type === 'Pod' && <Tabs.Tab value="events">{t('Events')}</Tabs.Tab>}
            <Tabs.Tab value="yaml">YAML</Tabs.Tab>
          </TabStrip>
          <Tabs.Panel value="logs">
            <WorkflowLog reference={reference} podName={detail.data.podName} runs={runs} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <PodEvents namespace={reference.namespace} podName={detail.data.podName} />
          </Tabs.Panel>
          <Tabs.Panel value="values">
            <Values reference={reference} workflow={workflow} detail={detail.data} />
          </Tabs.Panel>
          <Tabs.Panel value="yaml">
            <Suspense fallback={null}>
              <YamlView text={stringify({ template: detail.data.template, node: detail.data.node })} />
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      )}
    </Stack>
  );
}

interface ValuesProps {
  reference: ApplicationRef;
  workflow: Workflow;
  detail: NodeDetail;
}

function Values({ reference, workflow, detail }: ValuesProps) {
  const [shown, setShown] = useState<string>();
  const { inputs, outputs, id } = detail.node;
  const parts = [
    ['Inputs', inputs],
    ['Outputs', outputs],
  ] as const;
  const address = (artifact: Artifact, isInput: boolean) =>
    artifactAddress(reference, {
      uid: workflow.uid ?? '',
      node: id,
      name: artifact.name,
      isInput,
      archived: workflow.archived === true,
    });
  return (
    <Stack gap="md">
      {parts.map(([title, values]) => {
        const rows = [
          ...(values?.parameters ?? []).map(({ name, value }) => [name, String(value ?? '')] as const),
          ...(values?.result === undefined ? [] : [[t('result'), values.result] as const]),
          ...(values?.exitCode === undefined ? [] : [[t('exit code'), values.exitCode] as const]),
        ];
        const artifacts = values?.artifacts ?? [];
        return (
          <section key={title} aria-label={t(title)}>
            <Text fw={600} mb={4}>
              {t(title)}
            </Text>
            {rows.length === 0 && artifacts.length === 0 && (
              <Text size="sm" className="soft">
                {t('None.')}
              </Text>
            )}
            {rows.length > 0 && (
              <Table verticalSpacing={4}>
                <Table.Tbody>
                  {rows.map(([name, value]) => (
                    <Table.Tr key={name}>
                      <Table.Td w="30%">{name}</Table.Td>
                      <Table.Td className="mono" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                        {value}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
            {artifacts.map((artifact) => {
              const url = address(artifact, title === 'Inputs');
              return (
                <Stack key={artifact.name} gap={4} mt={6}>
                  <Group gap="sm">
                    <Text size="sm">{artifact.name}</Text>
                    {artifact.deleted ? (
                      <Text size="xs" className="soft">
                        {t('collected: it is not there any more')}
                      </Text>
                    ) : (
                      <>
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-expanded={shown === url}
                          onClick={() => setShown(shown === url ? undefined : url)}
                        >
                          {shown === url ? t('Hide') : t('View')}
                        </Button>
                        <Anchor size="xs" href={url} download>
                          {t('Download')}
                        </Anchor>
                      </>
                    )}
                  </Group>
                  {shown === url && (
                    // of no origin and without scripts: what a step wrote is a stranger's
                    <iframe
                      className="flow-artifact"
                      title={t('Artifact {name}', { name: artifact.name })}
                      src={url}
                      sandbox=""
                      referrerPolicy="no-referrer"
                    />
                  )}
                </Stack>
              );
            })}
          </section>
        );
      })}
    </Stack>
  );
}
