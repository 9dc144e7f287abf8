import { Badge, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type EventObject, type EventStep, type EventWay, events } from '../api/events.ts';
import type { Bounded } from '../api/families.ts';
import type { Diagnosis } from '../api/model.ts';
import { ago } from '../browser/time.ts';
import { clockTime } from '../browser/zone.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { Failure } from '../components/common/failure.tsx';
import { lookAgain } from '../components/common/family-list.tsx';
import { PhaseCell } from '../components/common/phase-cell.tsx';
import { EditEventObject, type EventObjectRef } from '../components/events/edit-event-object.tsx';
import { EventFlow } from '../components/events/event-flow.tsx';
import { matching, type Outcome, outcomeOf } from '../families/events.ts';
import { t } from '../i18n/texts.ts';
import { told as toldText } from '../i18n/told.ts';

const colours: Readonly<Record<Outcome, string>> = { done: 'teal', failed: 'red', refused: 'gray', waiting: 'yellow' };

/** Buses, sources, sensors, what is wrong with them, and what became of the last events, looked at again while it is open. */
export function EventsPage() {
  const look = { refetchInterval: lookAgain, retry: false } as const;
  const buses = useQuery({ queryKey: ['events', 'buses'], queryFn: events.buses, ...look });
  const sources = useQuery({ queryKey: ['events', 'sources'], queryFn: events.sources, ...look });
  const sensors = useQuery({ queryKey: ['events', 'sensors'], queryFn: events.sensors, ...look });
  const ways = useQuery({ queryKey: ['events', 'ways'], queryFn: events.ways, ...look });
  const [text, setText] = useState('');
  const [edited, setEdited] = useState<EventObjectRef>();
  const shown = matching(ways.data?.items ?? [], text);
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <Title order={2}>{t('Events')}</Title>
      {[buses, sources, sensors, ways].map(
        (query, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the queries keep their places
          query.error && <Failure key={index} error={query.error} retry={() => void query.refetch()} />,
      )}
      {(sources.data?.items.length ?? 0) + (sensors.data?.items.length ?? 0) > 0 && (
        <Stack gap="xs">
          <Title order={4}>{t('Flow')}</Title>
          <EventFlow sources={sources.data?.items ?? []} sensors={sensors.data?.items ?? []} />
        </Stack>
      )}
      {told(buses.data, sources.data, sensors.data).map(({ of, diagnosis }) => (
        <Stack key={`${of} ${diagnosis.code} ${diagnosis.message}`} gap={4}>
          <Text size="sm" fw={600}>
            {of}
          </Text>
          <DiagnosisPanel diagnosis={diagnosis} />
        </Stack>
      ))}
      <Section title={t('Buses')} count={buses.data?.items.length} note={buses.data?.note}>
        <Rows
          label={t('Buses')}
          heads={['Name', 'Phase', 'Server']}
          rows={(buses.data?.items ?? []).map((bus) => ({
            key: `${bus.namespace}/${bus.name}`,
            cells: [
              <Name key="name" {...bus} />,
              <PhaseCell key="phase" phase={bus.phase} message={bus.message} />,
              bus.type,
            ],
          }))}
        />
      </Section>
      <Section title={t('Sources')} count={sources.data?.items.length} note={sources.data?.note}>
        <Rows
          label={t('Sources')}
          heads={['Name', 'Phase', 'Events', 'Bus']}
          rows={(sources.data?.items ?? []).map((source) => ({
            key: `${source.namespace}/${source.name}`,
            cells: [
              <Name key="name" {...source} open={() => setEdited({ kind: 'event-sources', ...refOf(source) })} />,
              <PhaseCell key="phase" phase={source.phase} message={source.message} />,
              source.events.map(({ type, name }) => `${name} (${type})`).join(', '),
              source.bus,
            ],
          }))}
        />
      </Section>
      <Section title={t('Sensors')} count={sensors.data?.items.length} note={sensors.data?.note}>
        <Rows
          label={t('Sensors')}
          heads={['Name', 'Phase', 'Hears of', 'Does']}
          rows={(sensors.data?.items ?? []).map((sensor) => ({
            key: `${sensor.namespace}/${sensor.name}`,
            cells: [
              <Name key="name" {...sensor} open={() => setEdited({ kind: 'sensors', ...refOf(sensor) })} />,
              <PhaseCell key="phase" phase={sensor.phase} message={sensor.message} />,
              sensor.dependencies.map(({ source, event }) => `${source}/${event}`).join(', '),
              sensor.triggers.map(({ name, type, conditions, guarantee }) => (
                <div key={name}>
                  {name} ({type}
                  {conditions ? `, ${t('when {conditions}', { conditions })}` : ''}){' '}
                  <span className="soft" title={guarantee.because}>
                    {t(guarantee.delivery)}
                  </span>
                </div>
              )),
            ],
          }))}
        />
      </Section>
      <Section title={t('Last events')} count={ways.data?.items.length} note={ways.data?.note}>
        <TextInput
          placeholder={t('Filter by id, source, sensor, reason')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          aria-label={t('Filter')}
        />
        {shown.map((way) => (
          <Way key={`${way.namespace}/${way.id}`} way={way} />
        ))}
      </Section>
      <EditEventObject
        reference={edited}
        changed={() => {
          void sources.refetch();
          void sensors.refetch();
        }}
        close={() => setEdited(undefined)}
      />
    </Stack>
  );
}

/** What is wrong, with the object that tells of it. */
function told(...lists: readonly (Bounded<EventObject> | undefined)[]): { of: string; diagnosis: Diagnosis }[] {
  return lists.flatMap((list) =>
    (list?.items ?? []).flatMap(({ namespace, name, diagnoses }) =>
      diagnoses.map((diagnosis) => ({ of: `${namespace}/${name}`, diagnosis })),
    ),
  );
}

function Section(props: { title: string; count: number | undefined; note: string | undefined; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Title order={4}>{props.title}</Title>
        {props.count !== undefined && (
          <Badge variant="light" color="gray">
            {props.count}
          </Badge>
        )}
      </Group>
      {props.note && <Text className="soft">{toldText(props.note)}</Text>}
      {props.count === 0 && !props.note && <Text className="soft">{t('None yet.')}</Text>}
      {props.count !== undefined && props.count > 0 && props.children}
    </Stack>
  );
}

function Rows({
  label,
  heads,
  rows,
}: {
  label: string;
  heads: readonly string[];
  rows: readonly { key: string; cells: ReactNode[] }[];
}) {
  return (
    <DataTable label={label} heads={heads}>
      {rows.map(({ key, cells }) => (
        <Table.Tr key={key}>
          {cells.map((cell, index) => (
            <Table.Td key={heads[index]}>{cell}</Table.Td>
          ))}
        </Table.Tr>
      ))}
    </DataTable>
  );
}

function Name({ namespace, name, open }: { namespace: string; name: string; open?: () => void }) {
  return (
    <>
      {open ? (
        <button type="button" className="plain" onClick={open}>
          {name}
        </button>
      ) : (
        <Text size="sm" fw={600}>
          {name}
        </Text>
      )}
      <Text size="xs" className="soft">
        {namespace}
      </Text>
    </>
  );
}

const refOf = ({ namespace, name }: { namespace: string; name: string }) => ({ namespace, name });

/** An event; opened it tells each step with its reason. */
function Way({ way }: { way: EventWay }) {
  const outcome = outcomeOf(way);
  const first = way.steps[0];
  return (
    <details className="panel" style={{ padding: 'var(--mantine-spacing-sm)' }}>
      <summary style={{ cursor: 'pointer' }}>
        <Badge variant="light" color={colours[outcome]} mr="sm">
          {t(outcome)}
        </Badge>
        <Text span size="sm" fw={600}>
          {way.eventSource}/{way.event}
        </Text>
        <Text span size="xs" className="soft" ml="sm">
          {way.namespace} · {way.id.slice(0, 12)} · {first ? ago(new Date(first.at).toISOString(), Date.now()) : ''}
        </Text>
      </summary>
      <Table verticalSpacing={4} mt="xs">
        <Table.Tbody>
          {way.steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added behind
            <Table.Tr key={index}>
              <Table.Td w={120}>
                <Text size="xs" className="soft">
                  {clockTime(step.at)}
                </Text>
              </Table.Td>
              <Table.Td w={220}>
                <Text size="xs">{whoOf(step)}</Text>
              </Table.Td>
              <Table.Td>
                <Text size="sm">
                  {step.kind}: {step.text}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  );
}

function whoOf({ sensor, trigger, dependency }: EventStep): string {
  return [sensor, trigger ?? dependency].filter(Boolean).join('/');
}
