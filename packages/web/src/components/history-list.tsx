import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { Application, HistoryEntry } from '../api/model.ts';
import { ago, span } from '../time.ts';
import { Failure } from './failure.tsx';

/** What was deployed, newest first, with the way back. */
export function HistoryList({ application }: { application: Application }) {
  const [target, setTarget] = useState<HistoryEntry>();
  const mutation = useMutation({
    mutationFn: (id: number) => api.rollback(application.metadata, id),
    onSuccess: () => setTarget(undefined),
  });
  const entries = [...(application.status?.history ?? [])].reverse();
  const automated = application.spec.syncPolicy?.automated;
  const blocked = automated !== undefined && automated.enabled !== false;
  if (entries.length === 0) return <Text className="soft">Nothing was deployed yet.</Text>;
  return (
    <div className="panel" style={{ overflow: 'auto' }}>
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {['', 'Revision', 'Source', 'Deployed', 'Took', 'By', ''].map((title, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed
              <Table.Th key={index}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry, index) => (
            <Table.Tr key={entry.id}>
              <Table.Td className="soft">#{entry.id}</Table.Td>
              <Table.Td className="mono">{entry.revision?.slice(0, 12)}</Table.Td>
              <Table.Td>
                {entry.source?.path ?? entry.source?.chart}{' '}
                <span className="soft">@ {entry.source?.targetRevision || 'HEAD'}</span>
              </Table.Td>
              <Table.Td>{ago(entry.deployedAt, Date.now())}</Table.Td>
              <Table.Td className="soft">{span(entry.deployStartedAt, entry.deployedAt)}</Table.Td>
              <Table.Td>{entry.initiatedBy?.automated ? 'automated' : entry.initiatedBy?.username}</Table.Td>
              <Table.Td>
                {index > 0 && (
                  <Button size="xs" variant="default" onClick={() => setTarget(entry)}>
                    Roll back
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Modal opened={target !== undefined} onClose={() => setTarget(undefined)} title={`Roll back to #${target?.id}`}>
        <Stack>
          <Text size="sm">
            The objects of revision <span className="mono">{target?.revision?.slice(0, 12)}</span> are applied again;
            what it does not have is deleted.
          </Text>
          {blocked && (
            <Text size="sm" c="red">
              Automated sync is on: it would undo the rollback at once. Turn it off first.
            </Text>
          )}
          {mutation.error && <Failure error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setTarget(undefined)}>
              Cancel
            </Button>
            <Button
              disabled={blocked}
              loading={mutation.isPending}
              onClick={() => target && mutation.mutate(target.id)}
            >
              Roll back
            </Button>
          </Group>
        </Stack>
      </Modal>
    </div>
  );
}
