import { Accordion, Button, Checkbox, Group, Modal, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { previewRows, previewWords } from '../../applications/sync-preview.ts';
import {
  defaultChoices,
  propagationPolicies,
  refusedChoices,
  type SyncChoices,
  sourcesOf,
  switches,
  syncBody,
  syncFlags,
} from '../../applications/sync-request.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { RetryFields } from './retry-fields.tsx';
import { SyncPreview } from './sync-preview.tsx';

/** Starts a sync, with all that can be asked of one; says beforehand what it would do to each object. */
export function SyncDialog({
  application,
  only,
  opened,
  close,
}: {
  application: Application;
  /** Key of the one object that is chosen at the beginning. */
  only?: string | undefined;
  opened: boolean;
  close: () => void;
}) {
  return (
    <Modal opened={opened} onClose={close} title={t('Sync {name}', { name: application.metadata.name })} size="xl">
      {/* the choices begin anew each time */}
      {opened && <SyncForm application={application} only={only} close={close} />}
    </Modal>
  );
}

const propagationWords = {
  foreground: 'foreground: an object goes when all that it owns has gone',
  background: 'background: what it owns goes after it',
  orphan: 'orphan: what it owns stays',
};

interface SyncFormProps {
  application: Application;
  only: string | undefined;
  close: () => void;
}

function SyncForm({ application, only, close }: SyncFormProps) {
  const [choices, setChoices] = useState<SyncChoices>(() => ({
    ...defaultChoices(application),
    ...(only === undefined ? {} : { chosen: new Set([only]) }),
  }));
  const change = (changes: Partial<SyncChoices>) => setChoices({ ...choices, ...changes });
  const mutation = useMutation({
    mutationFn: () => api.sync(application.metadata, syncBody(application, choices)),
    onSuccess: close,
  });
  // the panel shows every object, whichever are chosen
  // what is typed is not asked at once: another revision is rendered for its plan
  const [revisions] = useDebouncedValue(choices.revisions, 400);
  const planned = syncBody(application, { ...choices, revisions, chosen: undefined });
  const plan = useQuery({
    queryKey: ['plan', application.metadata.namespace, application.metadata.name, planned, application.status?.sync],
    queryFn: () => api.plan(application.metadata, planned),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const rows = previewRows(plan.data?.rows ?? [], application.status?.resources ?? [], choices.chosen);
  const refused = refusedChoices(choices) ?? plan.data?.refusals[0]?.message;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!refused) mutation.mutate();
      }}
    >
      <Stack>
        <Revisions application={application} choices={choices} change={change} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {syncFlags.map(({ name, label, description }) => (
            <Checkbox
              key={name}
              label={t(label)}
              description={t(description)}
              checked={choices[name]}
              onChange={(event) => change({ [name]: event.currentTarget.checked })}
            />
          ))}
        </SimpleGrid>
        {choices.force && (
          <Text size="sm" c="red" role="alert">
            {t(
              'Objects that cannot be changed in place are deleted first: their pods, addresses and data go with them.',
            )}
          </Text>
        )}
        <Accordion variant="separated" multiple>
          <Accordion.Item value="options">
            <Accordion.Control>
              {t('Options')}
              {choices.switches.size > 0 && ` · ${t('{count} on', { count: choices.switches.size })}`}
            </Accordion.Control>
            <Accordion.Panel>
              <Stack>
                <SimpleGrid cols={{ base: 1, xs: 2 }}>
                  {switches.map(({ option, label, description }) => (
                    <Checkbox
                      key={option}
                      label={t(label)}
                      description={t(description)}
                      checked={choices.switches.has(option)}
                      onChange={(event) => {
                        const next = new Set(choices.switches);
                        if (event.currentTarget.checked) next.add(option);
                        else next.delete(option);
                        change({ switches: next });
                      }}
                    />
                  ))}
                </SimpleGrid>
                <Select
                  label={t('Propagation of deletions')}
                  data={propagationPolicies.map((value) => ({ value, label: t(propagationWords[value]) }))}
                  value={choices.propagation}
                  allowDeselect={false}
                  onChange={(value) => {
                    const propagation = propagationPolicies.find((policy) => policy === value);
                    if (propagation) change({ propagation });
                  }}
                />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="retry">
            <Accordion.Control>
              {t('Retries')}
              {choices.retry.enabled && ` · ${retryWords(choices.retry.limit)}`}
            </Accordion.Control>
            <Accordion.Panel>
              <RetryFields retry={choices.retry} change={(retry) => change({ retry })} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        <SyncPreview rows={rows} chosen={choices.chosen} choose={(chosen) => change({ chosen })} />
        {plan.error && <Failure error={plan.error} />}
        {mutation.error && <Failure error={mutation.error} />}
        <Group justify="space-between" className="dialog-footer">
          <Text size="sm" aria-live="polite" fw={600}>
            {refused ?? (choices.dryRun ? t('Only tried: {what}', { what: previewWords(rows) }) : previewWords(rows))}
          </Text>
          <Group gap="sm" ml="auto">
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button type="submit" disabled={refused !== undefined} loading={mutation.isPending}>
              {choices.dryRun ? t('Try') : t('Synchronize')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

function retryWords(limit: number): string {
  return limit < 0 ? t('without end') : t('{count} at most', { count: limit });
}

function Revisions({
  application,
  choices,
  change,
}: {
  application: Application;
  choices: SyncChoices;
  change: (changes: Partial<SyncChoices>) => void;
}) {
  const sources = sourcesOf(application);
  return sources.map(({ repoURL = '', path, chart, targetRevision }, index) => (
    <TextInput
      // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
      key={index}
      label={
        sources.length === 1
          ? t('Revision')
          : t('Revision of {source}', { source: `${repoURL} ${path ?? chart ?? ''}` })
      }
      placeholder={targetRevision || 'HEAD'}
      value={choices.revisions[index] ?? ''}
      onChange={(event) => change({ revisions: choices.revisions.with(index, event.currentTarget.value) })}
    />
  ));
}
