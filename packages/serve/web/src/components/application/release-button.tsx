import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import {
  keyOf,
  type QuarantinedRevision,
  quarantineAnnotation,
  quarantineOf,
  withoutQuarantined,
} from '../../applications/quarantine.ts';
import { shownSourcesOf } from '../../applications/sync-request.ts';
import { ago } from '../../browser/time.ts';
import { exactTime } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { RevisionLine, RevisionLink } from './revision-line.tsx';

/** Lets revisions out of quarantine, so that automated sync delivers them again; nothing where none is in. `remedy`: below a diagnosis. */
export function ReleaseButton({ application, remedy = false }: { application: Application; remedy?: boolean }) {
  const [opened, setOpened] = useState(false);
  if (quarantineOf(application).length === 0) return null;
  return (
    <>
      <Button
        {...(remedy ? { size: 'xs' } : { size: 'compact-sm', variant: 'default' })}
        onClick={() => setOpened(true)}
      >
        {t('Let out of quarantine …')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('Let out of quarantine')} size="lg">
        {opened && <ReleaseForm application={application} close={() => setOpened(false)} />}
      </Modal>
    </>
  );
}

function ReleaseForm({ application, close }: { application: Application; close: () => void }) {
  const queries = useQueryClient();
  const entries = quarantineOf(application);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const released = entries.filter((entry) => !kept.has(keyOf(entry)));
  const { metadata } = application;
  const mutation = useMutation({
    // as it is by now: another revision may have come in meanwhile
    mutationFn: async () => {
      const fresh = await api.application(metadata);
      const annotations = { [quarantineAnnotation]: withoutQuarantined(fresh, released) };
      return await api.patch(metadata, { metadata: { annotations } });
    },
    onSuccess: (changed) => {
      queries.setQueryData(['application', metadata.namespace, metadata.name], changed);
      close();
    },
  });
  const toggle = (entry: QuarantinedRevision) => {
    const next = new Set(kept);
    if (!next.delete(keyOf(entry))) next.add(keyOf(entry));
    setKept(next);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          {t('Automated sync delivers these revisions again. What took them back may do so once more.')}
        </Text>
        {entries.map((entry) => (
          <Checkbox
            key={keyOf(entry)}
            checked={!kept.has(keyOf(entry))}
            onChange={() => toggle(entry)}
            label={<Quarantined application={application} entry={entry} />}
            description={entry.reason}
          />
        ))}
        {mutation.error && <Failure error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit" disabled={released.length === 0} loading={mutation.isPending} data-autofocus>
            {t('Let out')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Quarantined({
  application,
  entry: { revisions, at },
}: {
  application: Application;
  entry: QuarantinedRevision;
}) {
  const sources = shownSourcesOf(application);
  return (
    <>
      {revisions.map((revision, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
        <span key={index} style={{ display: 'block' }}>
          <RevisionLink source={sources[index]} revision={revision} />{' '}
          {index === 0 && (
            <span className="soft" title={exactTime(at)}>
              {ago(at, Date.now())}
            </span>
          )}
          <RevisionLine
            reference={application.metadata}
            source={sources[index]}
            revision={revision}
            sourceIndex={index}
          />
        </span>
      ))}
    </>
  );
}
