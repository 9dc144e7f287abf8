import { Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ApplicationRef } from '../api/client.ts';
import { families, type Workflow } from '../api/families.ts';
import { ConditionTable } from '../components/condition-table.tsx';
import { Failure } from '../components/failure.tsx';
import { lookAgain } from '../components/family-list.tsx';
import { ScrollPanel } from '../components/scroll-panel.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { lookOf } from '../status.ts';
import { ago, span } from '../time.ts';
import { barOf, type NodeRow, type Span, spanOf, treeOf } from '../workflows.ts';

/** One Workflow: its nodes as a tree, and when each ran. */
export function WorkflowPage({ reference }: { reference: ApplicationRef }) {
  const workflow = useQuery({
    queryKey: ['workflows', reference.namespace, reference.name],
    queryFn: () => families.workflow(reference),
    refetchInterval: lookAgain,
    retry: false,
  });
  if (!workflow.data && workflow.error) return <Failure error={workflow.error} retry={() => void workflow.refetch()} />;
  if (!workflow.data) return <Text className="soft">…</Text>;
  const { data } = workflow;
  const { started, finished, progress } = data;
  return (
    <Stack maw={1400} mx="auto" gap="md">
      <Group gap="sm">
        <Title order={2} style={{ overflowWrap: 'anywhere' }}>
          {data.name}
        </Title>
        <StatusBadge status={data.phase} size="lg" />
        <Text className="soft">
          {[
            data.namespace,
            progress && `${progress} done`,
            started && `started ${ago(started, Date.now())}`,
            started && `${finished ? 'took' : 'runs for'} ${span(started, finished || new Date().toISOString())}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </Group>
      {workflow.error && <Failure error={workflow.error} retry={() => void workflow.refetch()} />}
      {data.message && <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{data.message}</Text>}
      {data.note && <Text className="soft">{data.note}</Text>}
      {data.nodes.length > 0 ? <Nodes workflow={data} /> : <Text className="soft">It has no nodes yet.</Text>}
      {data.conditions.length > 0 && <ConditionTable conditions={data.conditions} />}
    </Stack>
  );
}

function Nodes({ workflow }: { workflow: Workflow }) {
  const now = Date.now();
  const whole = spanOf(workflow.nodes, now);
  return (
    <ScrollPanel label="Steps">
      <Table verticalSpacing={6} horizontalSpacing="md" miw={680}>
        <Table.Thead>
          <Table.Tr>
            {['Node', 'Phase', 'Duration', 'Time'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {treeOf(workflow.nodes).map((row) => (
            <Node key={row.node.id} row={row} whole={whole} now={now} />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollPanel>
  );
}

function Node({ row: { node, depth }, whole, now }: { row: NodeRow; whole: Span | undefined; now: number }) {
  const bar = whole && barOf(node, whole, now);
  const took = span(node.started, node.finished || (node.started && new Date(now).toISOString()));
  return (
    <Table.Tr>
      <Table.Td style={{ paddingLeft: 16 + depth * 22 }}>
        <Text size="sm" fw={depth === 0 ? 600 : 500} style={{ overflowWrap: 'anywhere' }}>
          {node.name}
        </Text>
        <Text size="xs" className="soft">
          {[node.type, node.template].filter(Boolean).join(' · ')}
        </Text>
        {node.message && (
          <Text
            size="xs"
            {...(lookOf(node.phase).colour === 'red' ? { c: 'red' } : {})}
            lineClamp={3}
            title={node.message}
          >
            {node.message}
          </Text>
        )}
      </Table.Td>
      <Table.Td miw={140}>
        <StatusBadge status={node.phase} size="sm" />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{took || '–'}</Table.Td>
      <Table.Td w="42%" miw={180}>
        {bar && (
          <div className="time-bar" role="img" aria-label={`${node.name} ran ${took}, from ${node.started}`}>
            <div
              style={{
                left: `${bar.left}%`,
                width: `${bar.width}%`,
                background: `var(--mantine-color-${lookOf(node.phase).colour}-6)`,
              }}
            />
          </div>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
