import { Button, Checkbox, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application, HistoryEntry } from '../../api/model.ts';
import { ago, span } from '../../time.ts';
import { Failure } from '../common/failure.tsx';
import { ScrollPanel } from '../common/scroll-panel.tsx';

/** What was deployed, newest first, with the way back. */
export function HistoryList({ application }: { application: Application }) {
  const [target, setTarget] = useState<HistoryEntry>();
  const entries = [...(application.status?.history ?? [])].reverse();
  if (entries.length === 0) return <Text className="soft">Nothing was deployed yet.</Text>;
  return (
    <ScrollPanel label="History">
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
              <Table.Td className="mono">{revisionsOf(entry)}</Table.Td>
              <Table.Td>
                {(entry.sources?.length ? entry.sources : [entry.source ?? {}]).map((source, position) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
                  <div key={position}>
                    {source.path ?? source.chart} <span className="soft">@ {source.targetRevision || 'HEAD'}</span>
                  </div>
                ))}
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
        {target && <RollbackForm application={application} target={target} close={() => setTarget(undefined)} />}
      </Modal>
    </ScrollPanel>
  );
}

function RollbackForm({
  application,
  target,
  close,
}: {
  application: Application;
  target: HistoryEntry;
  close: () => void;
}) {
  const automated = application.spec.syncPolicy?.automated;
  const blocked = automated !== undefined && automated !== null && automated.enabled !== false;
  const [prune, setPrune] = useState(true);
  const [stop, setStop] = useState(false);
  const mutation = useMutation({
    mutationFn: async () => {
      if (blocked) await api.stopAutomation(application.metadata);
      return await api.rollback(application.metadata, target.id, prune);
    },
    onSuccess: close,
  });
  return (
    <Stack>
      <Text size="sm">
        The objects of revision <span className="mono">{revisionsOf(target)}</span> are applied again, without hooks.
      </Text>
      <Checkbox
        label="Prune"
        description="Delete what that revision does not have"
        checked={prune}
        onChange={(event) => setPrune(event.currentTarget.checked)}
      />
      {blocked && (
        <Checkbox
          label="Turn automated sync off first"
          description="It is on, and would undo the rollback at once"
          checked={stop}
          onChange={(event) => setStop(event.currentTarget.checked)}
        />
      )}
      {mutation.error && <Failure error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={blocked && !stop} loading={mutation.isPending} onClick={() => mutation.mutate()}>
          Roll back
        </Button>
      </Group>
    </Stack>
  );
}

function revisionsOf({ revision, revisions }: HistoryEntry): string {
  return (revisions?.length ? revisions : [revision ?? '']).map((text) => text.slice(0, 12)).join(', ');
}
