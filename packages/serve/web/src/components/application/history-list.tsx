import { Button, Checkbox, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { stringify } from 'yaml';
import { api } from '../../api/client.ts';
import type { Application, HistoryEntry, Source } from '../../api/model.ts';
import { navigate } from '../../browser/router.ts';
import { ago, span } from '../../browser/time.ts';
import { exactTime } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { ScrollPanel } from '../common/scroll-panel.tsx';
import { RevisionLine, RevisionLink } from './revision-line.tsx';

/** What was deployed, newest first, with the way back. */
export function HistoryList({ application }: { application: Application }) {
  const [target, setTarget] = useState<HistoryEntry>();
  const [shown, setShown] = useState<number>();
  const { namespace, name } = application.metadata;
  const compare = (entry: HistoryEntry) => {
    const search = new URLSearchParams({
      compare: 'revisions',
      from: revisionList(entry).join(','),
      to: revisionList(entries[0] ?? entry).join(','),
    });
    navigate(`/applications/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}/diff?${search}`);
  };
  const entries = [...(application.status?.history ?? [])].reverse();
  if (entries.length === 0) return <Text className="soft">{t('Nothing was deployed yet.')}</Text>;
  return (
    <ScrollPanel label={t('History')}>
      <Table verticalSpacing="sm" horizontalSpacing="md" className="carded">
        <Table.Thead>
          <Table.Tr>
            {['', t('Revision'), t('Source'), t('Deployed'), t('Took'), t('By'), ''].map((title, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed
              <Table.Th key={index}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry, index) => (
            <Table.Tr key={entry.id}>
              <Table.Td className="soft">#{entry.id}</Table.Td>
              <Table.Td className="revision-cell">
                {revisionList(entry).map((revision, position) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
                  <div key={position}>
                    <RevisionLink source={sourcesOfEntry(entry)[position]} revision={revision} />
                    <RevisionLine
                      reference={application.metadata}
                      source={sourcesOfEntry(entry)[position]}
                      revision={revision}
                      sourceIndex={position}
                      id={entry.id}
                    />
                  </div>
                ))}
              </Table.Td>
              <Table.Td>
                {sourcesOfEntry(entry).map((source, position) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
                  <div key={position}>
                    {source.path ?? source.chart} <span className="soft">@ {source.targetRevision || 'HEAD'}</span>
                  </div>
                ))}
              </Table.Td>
              <Table.Td title={exactTime(entry.deployedAt ?? '')}>{ago(entry.deployedAt, Date.now())}</Table.Td>
              <Table.Td className="soft">{span(entry.deployStartedAt, entry.deployedAt)}</Table.Td>
              <Table.Td>{entry.initiatedBy?.automated ? t('automated') : entry.initiatedBy?.username}</Table.Td>
              <Table.Td>
                <Group gap="xs" wrap="nowrap" justify="flex-end">
                  {Object.keys(parametersOf(entry)).length > 0 && (
                    <Button
                      size="xs"
                      variant="subtle"
                      aria-expanded={shown === entry.id}
                      onClick={() => setShown(shown === entry.id ? undefined : entry.id)}
                    >
                      {t('Parameters')}
                    </Button>
                  )}
                  {index > 0 && (
                    <>
                      <Button size="xs" variant="default" onClick={() => compare(entry)}>
                        {t('Compare')}
                      </Button>
                      <Button size="xs" variant="default" onClick={() => setTarget(entry)}>
                        {t('Roll back')}
                      </Button>
                    </>
                  )}
                </Group>
                {shown === entry.id && (
                  <pre className="mono history-parameters">{stringify(parametersOf(entry), { lineWidth: 0 })}</pre>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Modal
        opened={target !== undefined}
        onClose={() => setTarget(undefined)}
        title={t('Roll back to #{id}', { id: target?.id ?? '' })}
      >
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
  const [before, after] = t('The objects of revision {revision} are applied again, without hooks.').split('{revision}');
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
        {before}
        <span className="mono">{revisionsOf(target)}</span>
        {after}
      </Text>
      <Checkbox
        label={t('Prune')}
        description={t('Delete what that revision does not have')}
        checked={prune}
        onChange={(event) => setPrune(event.currentTarget.checked)}
      />
      {blocked && (
        <Checkbox
          label={t('Turn automated sync off first')}
          description={t('It is on, and would undo the rollback at once')}
          checked={stop}
          onChange={(event) => setStop(event.currentTarget.checked)}
        />
      )}
      {mutation.error && <Failure error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('Cancel')}
        </Button>
        <Button disabled={blocked && !stop} loading={mutation.isPending} onClick={() => mutation.mutate()}>
          {t('Roll back')}
        </Button>
      </Group>
    </Stack>
  );
}

const revisionList = ({ revision, revisions }: HistoryEntry) => (revisions?.length ? revisions : [revision ?? '']);

const sourcesOfEntry = ({ source, sources }: HistoryEntry): Source[] => (sources?.length ? sources : [source ?? {}]);

/** What the sources of an entry said besides where they are; of several each by its number. */
function parametersOf(entry: HistoryEntry): Record<string, unknown> {
  const of = sourcesOfEntry(entry).map((source) => {
    const { repoURL: _, path: __, chart: ___, targetRevision: ____, ...rest } = source;
    return rest as Record<string, unknown>;
  });
  const [only = {}] = of;
  if (of.length === 1) return only;
  return Object.fromEntries(
    of.flatMap((rest, index) => (Object.keys(rest).length > 0 ? [[`source ${index + 1}`, rest]] : [])),
  );
}

function revisionsOf(entry: HistoryEntry): string {
  return revisionList(entry)
    .map((text) => text.slice(0, 12))
    .join(', ');
}
