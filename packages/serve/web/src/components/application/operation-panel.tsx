import { Button, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { OperationState } from '../../api/model.ts';
import { ago, span } from '../../browser/time.ts';
import { useNarrow } from '../../browser/use-narrow.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { StatusBadge } from '../common/status-badge.tsx';

/** The last operation in one line; its results object by object on demand. */
export function OperationPanel({ state, reference }: { state: OperationState; reference: ApplicationRef }) {
  const [open, setOpen] = useState(false);
  const narrow = useNarrow();
  // on a phone one line says that all is well
  const short = narrow && !open && state.phase === 'Succeeded';
  const running = state.phase === 'Running' || state.phase === 'Terminating';
  const by = state.operation?.initiatedBy;
  const terminate = useMutation({ mutationFn: () => api.terminate(reference) });
  return (
    <div className="panel" style={{ padding: '10px 22px' }}>
      <Group justify="space-between" wrap="nowrap">
        <UnstyledButton onClick={() => setOpen(!open)} aria-expanded={open} style={{ flex: 1, minWidth: 0 }}>
          <Group gap="sm">
            <Text className="soft" size="sm">
              {running ? t('Syncing') : t('Last sync')}
            </Text>
            <StatusBadge status={state.phase} />
            {!short && (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {state.message}
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
      {open && (
        <Table.ScrollContainer minWidth={500}>
          <Table mt="sm" fz="sm">
            <Table.Thead>
              <Table.Tr>
                {[t('Object'), t('Phase'), t('Result'), t('Message')].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {(state.syncResult?.resources ?? []).map((result) => (
                <Table.Tr key={[result.group, result.kind, result.namespace, result.name, result.syncPhase].join('/')}>
                  <Table.Td>
                    {result.kind} <span className="soft">{result.namespace}/</span>
                    {result.name}
                  </Table.Td>
                  <Table.Td className="soft">{result.hookType ?? result.syncPhase}</Table.Td>
                  <Table.Td>{result.hookPhase ?? result.status}</Table.Td>
                  <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
                    {result.message}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </div>
  );
}
