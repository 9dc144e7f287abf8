import { Button, Modal, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application, Origin } from '../../api/model.ts';
import { originPage } from '../../applications/origin-page.ts';
import { ago } from '../../browser/time.ts';
import { exactTime } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';
import { changedPointers } from '../../objects/changed-pointers.ts';
import type { DifferingResource } from '../../objects/differences.ts';
import { ownersAt } from '../../objects/field-owners.ts';
import { lineOf } from '../../objects/source-line.ts';
import { DataTable } from '../common/data-table.tsx';
import { ExternalLink } from '../common/external-link.tsx';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';
import { ValuesOf, WrittenBy as WrittenByLine } from '../object/field-origins.tsx';

interface WrittenByProps {
  application: Application;
  item: DifferingResource;
}

/** Says of each field that differs who wrote it into the cluster, and who into the repository. */
export function WrittenByButton({ application, item }: WrittenByProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
        {t('Who wrote this …')}
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={t('Who wrote what differs in {object}', { object: item.title })}
        size="xl"
      >
        {open && <WrittenBy application={application} item={item} />}
      </Modal>
    </>
  );
}

function WrittenBy({ application, item }: WrittenByProps) {
  const { metadata } = application;
  const node = { ...item.object, version: item.version };
  const live = useQuery({
    queryKey: ['live', metadata.namespace, metadata.name, item.title],
    queryFn: async () => JSON.parse(await api.live(metadata, node)) as unknown,
  });
  const origin = useQuery({
    queryKey: ['origin', metadata.namespace, metadata.name, item.title],
    queryFn: () => api.origin(metadata, node),
    retry: false,
  });
  if (live.error) return <Failure error={live.error} retry={() => void live.refetch()} />;
  if (live.isLoading || origin.isLoading) return <Loading />;
  return (
    <DataTable label={t('Fields')} heads={['Field', 'In the cluster', 'In the repository']} within fz="sm">
      {changedPointers(item.liveState, item.desiredState).map((pointer) => (
        <Table.Tr key={pointer}>
          <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
            {pointer}
          </Table.Td>
          <Table.Td>
            <LiveWriters object={live.data} pointer={pointer} />
          </Table.Td>
          <Table.Td>
            {origin.data && (
              <SourceWriter
                application={application}
                origin={origin.data}
                pointer={pointer}
                desired={item.desiredState}
              />
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

function LiveWriters({ object, pointer }: { object: unknown; pointer: string }) {
  const owners = ownersAt(object, pointer);
  if (owners.length === 0) return <span className="soft">{t('nobody')}</span>;
  return owners.map(({ manager, operation, subresource, time }) => (
    <div key={manager + operation + subresource}>
      {manager}{' '}
      <span className="soft" title={exactTime(time)}>
        {[operation, subresource, ago(time, Date.now())].filter(Boolean).join(' · ')}
      </span>
    </div>
  ));
}

interface SourceWriterProps {
  application: Application;
  origin: Origin;
  pointer: string;
  desired: unknown;
}

function SourceWriter({ application, origin, pointer, desired }: SourceWriterProps) {
  const { file, lines, commits = [], fields = [] } = origin;
  // the last entry of a kustomization has the last word
  const made =
    fields.findLast((field) => field.pointer === pointer) ??
    fields.find((field) => field.pointer.startsWith(`${pointer}/`));
  if (made)
    return (
      <>
        <WrittenByLine application={application} origin={origin} field={made} />
        <ValuesOf application={application} origin={origin} field={made} />
      </>
    );
  if (!file) return <span className="soft">{t('nobody')}</span>;
  const texts = lines?.map(({ text }) => text);
  const index = texts && !texts.includes(undefined) ? lineOf(texts as readonly string[], pointer, desired) : undefined;
  const line = index === undefined ? undefined : lines?.[index];
  const writer = line?.commit === undefined ? undefined : commits[line.commit];
  const at = line?.number ?? origin.line;
  return (
    <>
      {writer && (
        <div title={exactTime(writer.date)}>
          {writer.author} <span className="soft">{ago(writer.date, Date.now())}</span>
          <Text size="sm">{writer.subject}</Text>
        </div>
      )}
      <span className="mono" style={{ overflowWrap: 'anywhere' }}>
        <ExternalLink to={lines && originPage(application, origin, at)}>
          {file}:{at}
        </ExternalLink>
      </span>
    </>
  );
}
