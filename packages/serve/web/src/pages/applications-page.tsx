import {
  Anchor,
  Badge,
  Button,
  Group,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, apiPath } from '../api/client.ts';
import type { Application } from '../api/model.ts';
import { useStream } from '../api/use-stream.ts';
import { applyEvent, countBy, filterApplications, type WatchEvent } from '../applications.ts';
import { Failure } from '../components/failure.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { isInformative } from '../notices.ts';
import { navigate, useSearch } from '../router.ts';
import { lookOf } from '../status.ts';
import { ago } from '../time.ts';

const listKey = ['applications'];

export function ApplicationsPage() {
  const queries = useQueryClient();
  const list = useQuery({ queryKey: listKey, queryFn: api.applications });
  const connected = useStream<WatchEvent>(
    apiPath('stream/applications'),
    (event) =>
      queries.setQueryData<{ items: Application[]; resourceVersion: string }>(
        listKey,
        (before) => before && { ...before, items: applyEvent(before.items, event) },
      ),
    () => void queries.invalidateQueries({ queryKey: listKey }),
  );
  const [text, setText] = useState('');
  const [health, setHealth] = useState<string>();
  const [sync, setSync] = useState<string>();
  const [search, changeSearch] = useSearch();
  const view = search.get('view') ?? 'tiles';
  const setView = (next: string) => changeSearch({ view: next === 'tiles' ? undefined : next });
  const items = list.data?.items ?? [];
  const shown = useMemo(() => filterApplications(items, { text, health, sync }), [items, text, health, sync]);
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>Applications</Title>
          <Badge variant="light" color="gray" size="lg">
            {items.length}
          </Badge>
          <span
            className="live-dot"
            data-off={connected ? undefined : true}
            title={connected ? 'Live' : 'Reconnecting'}
          />
        </Group>
        <Group gap="sm">
          <TextInput
            placeholder="Filter by name, project, repository, namespace"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            w={{ base: '100%', xs: 340 }}
            aria-label="Filter"
          />
          <SegmentedControl
            aria-label="View"
            value={view}
            onChange={setView}
            data={[
              { label: 'Tiles', value: 'tiles' },
              { label: 'List', value: 'list' },
            ]}
          />
        </Group>
      </Group>
      <Group gap="xs">
        <Facet
          counts={countBy(items, (item) => item.status?.health?.status ?? 'Unknown')}
          chosen={health}
          choose={setHealth}
        />
        <Text className="soft">·</Text>
        <Facet
          counts={countBy(items, (item) => item.status?.sync?.status ?? 'Unknown')}
          chosen={sync}
          choose={setSync}
        />
      </Group>
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isLoading && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {[1, 2, 3].map((key) => (
            <Skeleton key={key} height={170} radius="md" />
          ))}
        </SimpleGrid>
      )}
      {list.data && items.length === 0 && <Empty />}
      {list.data && items.length > 0 && shown.length === 0 && (
        <Text className="soft">No application matches the filter.</Text>
      )}
      {view === 'tiles' ? <Tiles items={shown} /> : <List items={shown} />}
    </Stack>
  );
}

function Facet({
  counts,
  chosen,
  choose,
}: {
  counts: [string, number][];
  chosen: string | undefined;
  choose: (status: string | undefined) => void;
}) {
  return counts.map(([status, count]) => (
    <Button
      key={status}
      size="compact-sm"
      variant={chosen === status ? 'filled' : 'light'}
      color={lookOf(status).colour}
      onClick={() => choose(chosen === status ? undefined : status)}
      aria-pressed={chosen === status}
    >
      {status} {count}
    </Button>
  ));
}

function open({ metadata }: Application): void {
  navigate(`/applications/${encodeURIComponent(metadata.namespace)}/${encodeURIComponent(metadata.name)}`);
}

/** Tiles beyond this many are slow to lay out: the rest is reached by the filter or the list. */
const tileLimit = 300;

function Tiles({ items }: { items: Application[] }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {items.slice(0, tileLimit).map((item) => (
          <Tile key={`${item.metadata.namespace}/${item.metadata.name}`} item={item} />
        ))}
      </SimpleGrid>
      {items.length > tileLimit && (
        <Text className="soft">{items.length - tileLimit} more: narrow the filter to see them.</Text>
      )}
    </>
  );
}

function Tile({ item }: { item: Application }) {
  const { status, spec, metadata } = item;
  const source = spec.sources?.[0] ?? spec.source;
  const told = status?.diagnoses?.find((diagnosis) => !isInformative(diagnosis)) ?? status?.conditions?.[0];
  const problem = told?.message;
  return (
    <button
      type="button"
      className="tile"
      style={{ ['--accent' as string]: `var(--mantine-color-${lookOf(status?.health?.status).colour}-6)` }}
      onClick={() => open(item)}
    >
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Text fw={650} size="md" truncate>
          {metadata.name}
        </Text>
        <Text size="xs" className="soft" style={{ whiteSpace: 'nowrap' }}>
          {spec.project ?? 'default'}
        </Text>
      </Group>
      <Group gap="xs" mb="sm">
        <StatusBadge status={status?.health?.status} />
        <StatusBadge status={status?.sync?.status} />
        {status?.operationState?.phase === 'Running' && <StatusBadge status="Running" />}
        {metadata.deletionTimestamp && (
          <Badge color="red" variant="light" tt="none">
            Deleting
          </Badge>
        )}
      </Group>
      <dl className="facts">
        <dt>Repository</dt>
        <dd title={source?.repoURL}>{source?.repoURL}</dd>
        <dt>Path</dt>
        <dd>
          {source?.path ?? source?.chart} <span className="soft">@ {source?.targetRevision || 'HEAD'}</span>
        </dd>
        <dt>Destination</dt>
        <dd>
          {spec.destination.name ?? spec.destination.server?.replace('https://kubernetes.default.svc', 'in-cluster')} /{' '}
          {spec.destination.namespace}
        </dd>
        <dt>Deployed</dt>
        <dd>
          {status?.history?.at(-1) ? ago(status.history.at(-1)?.deployedAt, Date.now()) : 'never'}{' '}
          <span className="mono soft">{status?.sync?.revision?.slice(0, 7)}</span>
        </dd>
      </dl>
      {problem && (
        <Text size="xs" c="red" mt="sm" lineClamp={2}>
          {problem}
        </Text>
      )}
    </button>
  );
}

function List({ items }: { items: Application[] }) {
  return (
    <div className="panel" style={{ overflow: 'auto' }}>
      <Table highlightOnHover verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {['Name', 'Project', 'Health', 'Sync', 'Destination', 'Repository', 'Revision', 'Deployed'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => {
            const source = item.spec.sources?.[0] ?? item.spec.source;
            return (
              <Table.Tr
                key={`${item.metadata.namespace}/${item.metadata.name}`}
                onClick={() => open(item)}
                style={{ cursor: 'pointer' }}
              >
                <Table.Td fw={600}>
                  <Anchor component="button" size="sm" c="inherit" fw={600} ta="left">
                    {item.metadata.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>{item.spec.project ?? 'default'}</Table.Td>
                <Table.Td>
                  <StatusBadge status={item.status?.health?.status} />
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={item.status?.sync?.status} />
                </Table.Td>
                <Table.Td>{item.spec.destination.namespace}</Table.Td>
                <Table.Td maw={320} style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
                  {source?.repoURL}
                </Table.Td>
                <Table.Td className="mono">{item.status?.sync?.revision?.slice(0, 7)}</Table.Td>
                <Table.Td className="soft">{ago(item.status?.history?.at(-1)?.deployedAt, Date.now())}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

const firstApplication = `kubectl apply -f - <<EOF
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://example.com/shop.git, path: deploy}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
EOF`;

function Empty() {
  return (
    <div className="panel" style={{ padding: 32 }}>
      <Title order={4}>No applications yet</Title>
      <Text className="soft" mt="xs">
        Apply one and it appears here:
      </Text>
      <pre className="snippet mono">{firstApplication}</pre>
    </div>
  );
}
