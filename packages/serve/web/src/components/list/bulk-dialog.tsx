import { Button, Checkbox, Group, Modal, Progress, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import {
  actOn,
  type BulkSync,
  type BulkTarget,
  type BulkVerb,
  bulkSyncBody,
  forEachTarget,
} from '../../applications/bulk.ts';
import { previewWords } from '../../applications/sync-preview.ts';
import { switches, syncFlags } from '../../applications/sync-request.ts';
import { t } from '../../i18n/texts.ts';
import { ScrollPanel } from '../common/scroll-panel.tsx';
import { StatusBadge } from '../common/status-badge.tsx';

const titles: Readonly<Record<BulkVerb, string>> = {
  sync: 'Sync {count} applications',
  refresh: 'Refresh {count} applications',
  'auto-on': 'Turn automated sync on for {count} applications',
  'auto-off': 'Turn automated sync off for {count} applications',
  delete: 'Delete {count} applications',
};

/** So many are listed, with what would happen to each. */
const shown = 100;

interface BulkDialogProps {
  verb: BulkVerb;
  targets: readonly BulkTarget[];
  close: (done: boolean) => void;
}

const keyOf = ({ namespace, name }: BulkTarget) => `${namespace}/${name}`;

/** One preview for many applications; then does it, and says of each how it went. */
export function BulkDialog({ verb, targets, close }: BulkDialogProps) {
  const [sync, setSync] = useState<BulkSync>({ flags: new Set(), switches: new Set() });
  const [cascade, setCascade] = useState(true);
  const [results, setResults] = useState<ReadonlyMap<string, string>>();
  const [running, setRunning] = useState(false);
  const run = async () => {
    const found = new Map<string, string>();
    setRunning(true);
    setResults(found);
    await forEachTarget(
      targets,
      (target) => actOn(verb, target, { sync, cascade }),
      (target, error) => {
        found.set(keyOf(target), error === undefined ? '' : error instanceof Error ? error.message : String(error));
        setResults(new Map(found));
      },
    );
    setRunning(false);
  };
  const failed = [...(results?.values() ?? [])].filter(Boolean).length;
  const done = results !== undefined && !running;
  return (
    <Modal opened onClose={() => close(done)} title={t(titles[verb], { count: targets.length })} size="lg">
      <Stack>
        {verb === 'sync' && <SyncFields sync={sync} change={setSync} disabled={results !== undefined} />}
        {verb === 'delete' && (
          <Checkbox
            label={t('Delete their objects too')}
            description={t('Without it what was deployed stays, and nobody manages it')}
            checked={cascade}
            onChange={(event) => setCascade(event.currentTarget.checked)}
            disabled={results !== undefined}
          />
        )}
        <ScrollPanel label={t('Applications')} style={{ maxHeight: 340 }}>
          <Table fz="sm" verticalSpacing={5}>
            <Table.Tbody>
              {targets.slice(0, shown).map((target) => (
                <Table.Tr key={keyOf(target)}>
                  <Table.Td fw={600} miw={170} style={{ overflowWrap: 'anywhere' }}>
                    {target.name}
                  </Table.Td>
                  <Table.Td>
                    <Outcome verb={verb} target={target} sync={sync} result={results?.get(keyOf(target))} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollPanel>
        {targets.length > shown && (
          <Text size="sm" className="soft">
            {t('and {count} more', { count: targets.length - shown })}
          </Text>
        )}
        {results && <Progress value={(100 * results.size) / targets.length} aria-label={t('Progress')} />}
        <Group justify="space-between">
          <Text size="sm" role="status" c={failed > 0 ? 'var(--mantine-color-error)' : 'dimmed'}>
            {results &&
              (failed > 0
                ? t('{done} of {count} done, {failed} refused', { done: results.size, count: targets.length, failed })
                : t('{done} of {count} done', { done: results.size, count: targets.length }))}
          </Text>
          <Group gap="sm">
            <Button variant="default" onClick={() => close(done)}>
              {done ? t('Close') : t('Cancel')}
            </Button>
            {!done && (
              <Button
                loading={running}
                {...(verb === 'delete' ? { color: 'red' } : {})}
                onClick={() => void run()}
                data-autofocus
              >
                {t(verb === 'delete' ? 'Delete' : verb === 'sync' ? 'Synchronize' : 'Go ahead')}
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}

interface SyncFieldsProps {
  sync: BulkSync;
  change: (sync: BulkSync) => void;
  disabled: boolean;
}

/** What is asked of the sync of each; what an application says of its own syncs stays. */
function SyncFields({ sync, change, disabled }: SyncFieldsProps) {
  const toggled = <T,>(set: ReadonlySet<T>, one: T) =>
    set.has(one) ? set.difference(new Set([one])) : new Set([...set, one]);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {syncFlags.map(({ name, label, description }) => (
          <Checkbox
            key={name}
            label={t(label)}
            description={t(description)}
            checked={sync.flags.has(name)}
            onChange={() => change({ ...sync, flags: toggled(sync.flags, name) })}
            disabled={disabled}
          />
        ))}
      </SimpleGrid>
      {sync.flags.has('force') && (
        <Text size="sm" c="red" role="alert">
          {t('Objects that cannot be changed in place are deleted first: their pods, addresses and data go with them.')}
        </Text>
      )}
      <details className="rare-fields">
        <summary>
          {t('Options')}
          {sync.switches.size > 0 && ` · ${t('{count} on', { count: sync.switches.size })}`}
        </summary>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="xs">
          {switches.map(({ option, label, description }) => (
            <Checkbox
              key={option}
              label={t(label)}
              description={t(description)}
              checked={sync.switches.has(option)}
              onChange={() => change({ ...sync, switches: toggled(sync.switches, option) })}
              disabled={disabled}
            />
          ))}
        </SimpleGrid>
      </details>
    </>
  );
}

interface OutcomeProps {
  verb: BulkVerb;
  target: BulkTarget;
  sync: BulkSync;
  result: string | undefined;
}

function Outcome({ verb, target, sync, result }: OutcomeProps) {
  if (result === '') return <StatusBadge status="Succeeded" words={t('done')} size="sm" />;
  if (result !== undefined)
    return (
      <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
        {result}
      </Text>
    );
  if (verb === 'sync') return <PlanWords target={target} sync={sync} />;
  const words: Readonly<Record<Exclude<BulkVerb, 'sync'>, string>> = {
    refresh: 'is compared with its repository now',
    'auto-on': 'follows its repository by itself',
    'auto-off': 'waits for somebody to sync it',
    delete: 'is deleted',
  };
  return <span className="soft">{t(words[verb])}</span>;
}

function PlanWords({ target, sync }: { target: BulkTarget; sync: BulkSync }) {
  const plan = useQuery({
    queryKey: ['bulk-plan', target.namespace, target.name, [...sync.flags], [...sync.switches]],
    queryFn: async () => api.plan(target, await bulkSyncBody(target, sync)),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (plan.error) return <span className="soft">{plan.error.message}</span>;
  if (!plan.data) return <span className="soft">…</span>;
  const refused = plan.data.refusals[0]?.message;
  return refused ? (
    <Text size="sm" c="var(--mantine-color-error)">
      {refused}
    </Text>
  ) : (
    <span>{previewWords(plan.data.rows)}</span>
  );
}
