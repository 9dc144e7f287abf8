import { Button, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { ApplicationWindowList } from '../../api/model.ts';
import { windowWords } from '../../applications/projects.ts';
import { currentZone, formatTime } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { PageLink } from '../common/page-link.tsx';
import { WindowPlot } from '../plot/window-plot.tsx';

/** Whether the project's sync windows let this application be synced now; nothing where none speaks of it. */
export function ApplicationWindows({ reference, project }: { reference: ApplicationRef; project: string }) {
  const [open, { toggle }] = useDisclosure();
  const list = useQuery({
    queryKey: ['application-windows', reference.namespace, reference.name],
    queryFn: async () => ({ at: Date.now(), ...(await api.windows(reference)) }),
    refetchInterval: 60_000,
  });
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />;
  if (!list.data || list.data.items.length === 0) return null;
  const { items, at } = list.data;
  const { symbol, colour, words } = verdictOf(list.data);
  return (
    <section className="windows" aria-label={t('Sync windows')}>
      <Group gap="sm" justify="space-between">
        <Text size="sm">
          <span className="mark" data-colour={colour} aria-hidden>
            {symbol}
          </span>{' '}
          {words}
        </Text>
        <Button size="compact-xs" variant="subtle" aria-expanded={open} onClick={toggle}>
          {items.length === 1 ? t('1 sync window') : t('{count} sync windows', { count: items.length })}
        </Button>
      </Group>
      <Collapse expanded={open}>
        <Text size="xs" className="soft" mt="xs">
          {t('The week ahead, in the time of {zone}.', { zone: currentZone() })}{' '}
          <PageLink to={`settings/projects/${encodeURIComponent(project)}`} className="quiet-link">
            {t('Project {name}', { name: project })}
          </PageLink>
        </Text>
        {open && <WindowPlot label={t('Sync windows in the week ahead')} at={at} items={items} />}
        {items.map(({ window, problem }) =>
          problem === undefined ? null : (
            <Text key={windowWords(window)} size="sm" c="var(--mantine-color-error)">
              {windowWords(window)}: {problem}
            </Text>
          ),
        )}
      </Collapse>
    </section>
  );
}

function verdictOf({ manual, automated }: ApplicationWindowList): { symbol: string; colour: string; words: string } {
  if (!manual.allowed) return { symbol: '✕', colour: 'red', words: blocked(t('No sync may happen'), manual.until) };
  if (!automated.allowed)
    return {
      symbol: 'Ⅱ',
      colour: 'yellow',
      words: blocked(t('A person may sync; automated syncs wait'), automated.until),
    };
  return { symbol: '✓', colour: 'teal', words: t('The sync windows let syncs happen now.') };
}

function blocked(words: string, until: number | undefined): string {
  return until === undefined
    ? t('{what}: a sync window forbids it.', { what: words })
    : t('{what} until {time}: a sync window forbids it.', { what: words, time: formatTime(until) });
}
