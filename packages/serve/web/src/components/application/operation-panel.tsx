import { Button, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application, OperationState, TreeNode } from '../../api/model.ts';
import { shortMessage } from '../../applications/group-diagnoses.ts';
import { type Task, tasksOf } from '../../applications/tasks.ts';
import { ago, span } from '../../browser/time.ts';
import { useNarrow } from '../../browser/use-narrow.ts';
import { t } from '../../i18n/texts.ts';
import { told } from '../../i18n/told.ts';
import { DataTable } from '../common/data-table.tsx';
import { Failure } from '../common/failure.tsx';
import { KindName } from '../common/kind-icon.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { OperationFacts } from './operation-facts.tsx';

const marks: Readonly<Record<Task['state'], { colour: string; symbol: string }>> = {
  failed: { colour: 'red', symbol: '✕' },
  running: { colour: 'blue', symbol: '◔' },
  waiting: { colour: 'gray', symbol: '…' },
  done: { colour: 'teal', symbol: '✓' },
};

interface OperationPanelProps {
  application: Application;
  state: OperationState;
  nodes: readonly TreeNode[];
}

/** The last operation in one line; its objects on demand, and while it runs: what was done, what is waited for, and why. */
export function OperationPanel({ application, state, nodes }: OperationPanelProps) {
  const [chosen, setChosen] = useState<boolean>();
  const narrow = useNarrow();
  const reference = application.metadata;
  // between two attempts nothing goes on that could be watched
  const open = chosen ?? (state.phase === 'Running' && !state.finishedAt && !narrow);
  const repeated = shortMessage(state.message ?? '', application.status?.diagnoses ?? []);
  const tasks = useMemo(() => (open ? tasksOf(application, nodes) : []), [open, application, nodes]);
  // on a phone one line says that all is well
  const short = narrow && !open && state.phase === 'Succeeded';
  const running = state.phase === 'Running' || state.phase === 'Terminating';
  const by = state.operation?.initiatedBy;
  const terminate = useMutation({ mutationFn: () => api.terminate(reference) });
  return (
    <div className="panel" style={{ padding: '10px 22px' }}>
      <Group justify="space-between" wrap="nowrap">
        <UnstyledButton onClick={() => setChosen(!open)} aria-expanded={open} style={{ flex: 1, minWidth: 0 }}>
          <Group gap="sm">
            <Text className="soft" size="sm">
              {running ? t('Syncing') : t('Last sync')}
            </Text>
            <StatusBadge status={state.phase} />
            {!short && (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }} title={state.message}>
                {repeated ? repeatedWords(repeated) : told(state.message ?? '')}
              </Text>
            )}
            <Text size="sm" className="soft" style={{ whiteSpace: 'nowrap' }}>
              {ago(state.finishedAt ?? state.startedAt, Date.now())}
              {!short &&
                state.finishedAt &&
                ` · ${t('took {time}', { time: span(state.startedAt, state.finishedAt) })}`}
              {!short && ' · '}
              {short ? '' : by?.automated ? t('automated') : (by?.username ?? '')}
            </Text>
          </Group>
        </UnstyledButton>
        {running && (
          <Button
            size="xs"
            color="red"
            variant="light"
            loading={terminate.isPending}
            disabled={state.phase === 'Terminating'}
            onClick={() => terminate.mutate()}
          >
            {t('Terminate')}
          </Button>
        )}
      </Group>
      {terminate.error && <Failure error={terminate.error} />}
      {open && <OperationFacts application={application} state={state} />}
      {open && tasks.length > 0 && (
        <DataTable label={t('Results')} heads={['Object', 'Phase', 'Result', 'Message']} within fz="sm">
          {tasks.map((task) => (
            <Table.Tr key={task.id}>
              <Table.Td>
                <KindName group={task.group} kind={task.kind} /> <span className="soft">{task.namespace}/</span>
                {task.name}
              </Table.Td>
              <Table.Td className="soft">{task.phase}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <span className="mark" data-colour={marks[task.state].colour} aria-hidden>
                  {marks[task.state].symbol}
                </span>{' '}
                {task.state === 'waiting' ? t('has not had its turn') : t(task.result)}
              </Table.Td>
              <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
                {task.message}
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </div>
  );
}

/** What a sync says of its failure, where the cause stands above. */
function repeatedWords({ what, retried, again }: NonNullable<ReturnType<typeof shortMessage>>): string {
  return [
    t('{what}: the cause is told above', { what: told(what) }),
    retried && t('retried {count} times', { count: retried }),
    again && t('trying again at {time}', { time: again }),
  ]
    .filter(Boolean)
    .join(' · ');
}
