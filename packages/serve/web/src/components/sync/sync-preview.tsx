import { Button, Checkbox, Group, Stack, Table, Text } from '@mantine/core';
import type { Effect, PreviewRow } from '../../applications/sync-preview.ts';
import { t } from '../../i18n/texts.ts';
import { KindIcon } from '../common/kind-icon.tsx';
import { ScrollPanel } from '../common/scroll-panel.tsx';

const colours: Readonly<Record<Effect, string>> = {
  create: 'var(--mantine-color-teal-light-color)',
  change: 'var(--mantine-color-yellow-light-color)',
  apply: 'inherit',
  delete: 'var(--mantine-color-red-light-color)',
  leave: 'dimmed',
  hook: 'var(--mantine-color-blue-light-color)',
};

/** The objects of an application with what a sync would do to each; some of them can be chosen. */
export function SyncPreview({
  rows,
  chosen,
  choose,
}: {
  rows: readonly PreviewRow[];
  chosen: ReadonlySet<string> | undefined;
  choose: (chosen: ReadonlySet<string> | undefined) => void;
}) {
  const drifted = rows.filter(({ resource }) => resource.status === 'OutOfSync').map(({ key }) => key);
  const toggle = ({ key, chosen: on }: PreviewRow) => {
    const next = new Set(rows.filter((row) => row.chosen).map((row) => row.key));
    if (on) next.delete(key);
    else next.add(key);
    // all of them is a whole sync, with hooks and history
    choose(next.size === rows.length ? undefined : next);
  };
  return (
    <Stack gap="xs">
      <Group gap="xs" role="group" aria-label={t('Objects to synchronize')}>
        <Text size="sm" fw={600} mr="auto">
          {t('What it will do')}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          aria-pressed={chosen === undefined}
          onClick={() => choose(undefined)}
        >
          {t('All')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => choose(new Set(drifted))}>
          {t('Out of sync')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => choose(new Set())}>
          {t('None')}
        </Button>
      </Group>
      {rows.length === 0 && (
        <Text size="sm" className="soft">
          {t('No object is known yet: the application was not compared.')}
        </Text>
      )}
      <ScrollPanel label={t('Objects of the sync')} style={{ maxHeight: 280 }} hidden={rows.length === 0}>
        <Table fz="sm" verticalSpacing={4}>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.key}>
                <Table.Td>
                  <Checkbox
                    size="xs"
                    checked={row.chosen}
                    onChange={() => toggle(row)}
                    label={
                      <>
                        <KindIcon group={row.resource.group} kind={row.resource.kind} /> {row.resource.kind}{' '}
                        <span className="soft">{row.resource.namespace && `${row.resource.namespace}/`}</span>
                        <strong style={{ overflowWrap: 'anywhere' }}>{row.resource.name}</strong>
                      </>
                    }
                  />
                </Table.Td>
                <Table.Td>
                  <Text size="sm" c={colours[row.effect]}>
                    {t(row.words)}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollPanel>
      {chosen && (
        <Text size="sm" className="soft">
          {t('Only some objects: hooks do not run, and the history gets no entry.')}
        </Text>
      )}
    </Stack>
  );
}
