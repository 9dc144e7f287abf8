import { Alert, Button, Chip, Group, SegmentedControl, Stack, Table, Tabs, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type HistoryEntry, type HistoryQuery, historyApi, type RecordKind, recordKinds } from '../api/history.ts';
import {
  kindLooks,
  lanesOf,
  lookOfEntry,
  mostLanes,
  revisionOf,
  spans,
  usualKinds,
  valueText,
} from '../applications/timeline.ts';
import { useSearch } from '../browser/router.ts';
import { formatTime } from '../browser/zone.ts';
import { Failure } from '../components/common/failure.tsx';
import { KindName } from '../components/common/kind-icon.tsx';
import { Loading } from '../components/common/loading.tsx';
import { PageLink } from '../components/common/page-link.tsx';
import { TabStrip } from '../components/common/tab-strip.tsx';
import { LanePlot } from '../components/plot/lane-plot.tsx';
import { SettingsHead } from '../components/settings/settings-head.tsx';
import { t } from '../i18n/texts.ts';
import { told } from '../i18n/told.ts';

const hour = 3_600_000;

/** What was decided and what changed between two moments, by whom and by which commit, across applications. */
export function TimelinePage() {
  const [search, changeSearch] = useSearch();
  const span = spans.find(({ value }) => value === search.get('span')) ?? spans[2];
  // a time in the address keeps what is seen as it is when it is sent to somebody
  const [opened] = useState(() => Date.now());
  const until = Date.parse(search.get('until') ?? '') || opened;
  const since = until - span.hours * hour;
  const kinds = (search.get('kinds')?.split(',') ?? usualKinds).filter((kind): kind is RecordKind =>
    recordKinds.some((one) => one === kind),
  );
  const [application] = useDebouncedValue(search.get('application') ?? '', 300);
  const query: HistoryQuery = {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    application: application || undefined,
  };
  return (
    <Stack maw={1500} mx="auto" gap="md">
      <SettingsHead title="Timeline" about="What was decided and what changed, who did it, and by which commit." />
      <Group gap="sm">
        <SegmentedControl
          aria-label={t('Time')}
          value={span.value}
          onChange={(value) => changeSearch({ span: value })}
          data={spans.map(({ value, label }) => ({ value, label: t(label) }))}
        />
        <Button.Group>
          <Button
            variant="default"
            aria-label={t('Earlier')}
            onClick={() => changeSearch({ until: new Date(since).toISOString() })}
          >
            ←
          </Button>
          <Button
            variant="default"
            aria-label={t('Later')}
            disabled={until >= opened}
            onClick={() => {
              const next = until + span.hours * hour;
              changeSearch({ until: next >= opened ? undefined : new Date(next).toISOString() });
            }}
          >
            →
          </Button>
        </Button.Group>
        <TextInput
          aria-label={t('Application')}
          placeholder={t('Application')}
          value={search.get('application') ?? ''}
          onChange={(event) => changeSearch({ application: event.currentTarget.value.trim() })}
          style={{ flex: '1 1 180px', maxWidth: 320 }}
          data-search
        />
        <Text size="sm" className="soft">
          {formatTime(since)} – {formatTime(until)}
        </Text>
      </Group>
      <Tabs
        value={search.get('tab') ?? 'events'}
        onChange={(tab) => changeSearch({ tab: tab ?? undefined })}
        keepMounted={false}
      >
        <TabStrip>
          <Tabs.Tab value="events">{t('What happened')}</Tabs.Tab>
          <Tabs.Tab value="changes">{t('What changed')}</Tabs.Tab>
        </TabStrip>
        <Tabs.Panel value="events">
          <Happened
            query={query}
            kinds={kinds}
            range={{ since, until }}
            choose={(next) => changeSearch({ kinds: next.join(',') || 'none' })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="changes">
          <Changed query={query} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

interface HappenedProps {
  query: HistoryQuery;
  kinds: readonly RecordKind[];
  range: { since: number; until: number };
  choose: (kinds: string[]) => void;
}

function Happened({ query, kinds, range, choose }: HappenedProps) {
  const [chosen, setChosen] = useState<string>();
  const pages = useInfiniteQuery({
    queryKey: ['history', query],
    queryFn: ({ pageParam }) => historyApi.entries(query, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const all = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  const shown = all.filter(({ kind }) => kinds.includes(kind));
  const lanes = lanesOf(shown);
  const listed = chosen === undefined ? shown : shown.filter(({ id }) => String(id) === chosen);
  if (pages.error) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.isLoading) return <Loading height={260} />;
  return (
    <Stack gap="md">
      <Chip.Group multiple value={[...kinds]} onChange={choose}>
        <Group gap={6}>
          {recordKinds.map((kind) => (
            <Chip key={kind} value={kind} size="xs" variant="outline">
              {t(kindLooks[kind].name)} {all.filter((entry) => entry.kind === kind).length}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {shown.length === 0 && <Text className="soft">{t('Nothing of this happened in that time.')}</Text>}
      {lanes.length > 0 && (
        <div className="panel" style={{ padding: 16 }}>
          <LanePlot
            label={t('What happened to each application')}
            lanes={lanes}
            from={range.since}
            to={range.until}
            selected={chosen}
            onOpen={({ id }) => setChosen(id === chosen ? undefined : id)}
          />
          {lanes.length === mostLanes && (
            <Text size="sm" className="soft" mt="xs">
              {t('The {count} applications to which most happened are shown.', { count: mostLanes })}
            </Text>
          )}
        </div>
      )}
      {chosen !== undefined && (
        <Button
          variant="subtle"
          size="compact-sm"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setChosen(undefined)}
        >
          {t('Show all again')}
        </Button>
      )}
      {listed.length > 0 && (
        <ul className="panel happenings" aria-label={t('What happened')}>
          {listed.slice(0, 500).map((entry) => (
            <Happening key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
          style={{ alignSelf: 'center' }}
        >
          {t('Read more of that time')}
        </Button>
      )}
    </Stack>
  );
}

function Happening({ entry }: { entry: HistoryEntry }) {
  const { time, kind, application, actor, summary } = entry;
  const look = lookOfEntry(entry);
  const failed = kind === 'SyncEnded' && entry.detail.phase !== 'Succeeded';
  return (
    <li>
      <span className="mark" data-colour={failed ? 'red' : look.colour} title={t(look.name)}>
        {failed ? '✕' : look.symbol}
      </span>
      <time dateTime={time} className="soft">
        {formatTime(time, {
          month: 'short',
          day: 'numeric',
          hour: '2-digit',
          minute: '2-digit',
          second: '2-digit',
        })}
      </time>
      <PageLink to={`applications/${application.split('/').map(encodeURIComponent).join('/')}`} className="quiet-link">
        {application.replace(/^[^/]*\//, '')}
      </PageLink>
      <span className="summary">
        {told(summary)}
        {revisionOf(entry) && <span className="mono soft"> {revisionOf(entry)}</span>}
      </span>
      <span className="soft">{told(actor)}</span>
    </li>
  );
}

function Changed({ query }: { query: HistoryQuery }) {
  const changes = useQuery({ queryKey: ['history-changes', query], queryFn: () => historyApi.changes(query) });
  if (changes.error) return <Failure error={changes.error} retry={() => void changes.refetch()} />;
  if (!changes.data) return <Loading height={260} />;
  const { items, partial } = changes.data;
  return (
    <Stack gap="sm">
      {partial && (
        <Alert color="yellow">{t('There was more than is looked at: choose a shorter time or one application.')}</Alert>
      )}
      {items.length === 0 && (
        <Text className="soft">{t('No sync changed anything in that time that is not as it was before.')}</Text>
      )}
      {items.length > 0 && (
        <Table.ScrollContainer minWidth={900} className="panel">
          <Table fz="sm" verticalSpacing={6} horizontalSpacing="md" layout="fixed">
            <Table.Thead>
              <Table.Tr>
                {['Application', 'Object', 'Field', 'Before', 'After', 'Who', 'Revision'].map((title) => (
                  <Table.Th key={title}>{t(title)}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.slice(0, 1000).map((change) => (
                <Table.Tr
                  key={`${change.application} ${change.group} ${change.kind} ${change.namespace} ${change.name} ${change.path}`}
                >
                  <Table.Td>
                    <PageLink
                      to={`applications/${change.application.split('/').map(encodeURIComponent).join('/')}`}
                      className="quiet-link"
                    >
                      {change.application.replace(/^[^/]*\//, '')}
                    </PageLink>
                  </Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <KindName group={change.group} kind={change.kind} /> {change.name}
                  </Table.Td>
                  <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
                    {change.path || change.action}
                  </Table.Td>
                  <Table.Td className="mono removed" style={{ overflowWrap: 'anywhere' }}>
                    {valueText(change.before)}
                  </Table.Td>
                  <Table.Td className="mono added" style={{ overflowWrap: 'anywhere' }}>
                    {valueText(change.after)}
                  </Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{change.actors.map(told).join(', ')}</Table.Td>
                  <Table.Td className="mono" title={change.revision}>
                    {change.revision.slice(0, 7)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
