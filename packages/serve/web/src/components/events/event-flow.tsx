import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { apiPath } from '../../api/client.ts';
import type { EventSourceSummary, FlowCount, SensorSummary } from '../../api/events.ts';
import { useStream } from '../../api/use-stream.ts';
import { clockTime } from '../../browser/zone.ts';
import { type FlowLink, type FlowNode, flowOf, type Tally, withChanges } from '../../families/event-flow.ts';
import { t } from '../../i18n/texts.ts';

const box = { width: 230, height: 62, across: 276, down: 78 } as const;
const columns = ['Sources', 'Buses', 'Sensors', 'Triggers'];
const colours = { passed: 'teal', filtered: 'gray', failed: 'red', waiting: 'yellow' } as const;
const names = Object.keys(colours) as (keyof Tally)[];

/** The way of events from sources to triggers, counted live; what is chosen tells its reasons. */
export function EventFlow(props: { sources: readonly EventSourceSummary[]; sensors: readonly SensorSummary[] }) {
  const [counts, setCounts] = useState<ReadonlyMap<string, FlowCount>>(new Map());
  const [note, setNote] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const isLive = useStream<{ counts: FlowCount[]; note?: string }>(
    apiPath('events/flow', {}, 'api/tiphys/v1'),
    (message) => {
      setNote(message.note);
      setCounts((before) => withChanges(before, message.counts));
    },
    () => setCounts(new Map()),
  );
  const flow = useMemo(
    () => flowOf(props.sources, props.sensors, [...counts.values()]),
    [props.sources, props.sensors, counts],
  );
  const shown = flow.nodes.find(({ id }) => id === chosen);
  const height = 34 + box.down * Math.max(1, ...flow.nodes.map(({ row }) => row + 1));
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Badge variant="light" color={isLive ? 'teal' : 'gray'}>
          {isLive ? t('live') : t('not connected')}
        </Badge>
        <Text size="sm" className="soft">
          {note ?? t('Counted since the controller started. Choose a box for its reasons.')}
          {flow.left > 0 && ` ${t('{count} more are not drawn.', { count: flow.left })}`}
        </Text>
      </Group>
      <div className="panel" style={{ overflow: 'auto' }}>
        {/* biome-ignore lint/a11y/useSemanticElements: a field set is no drawing */}
        <svg
          width={3 * box.across + box.width + 24}
          height={height}
          style={{ display: 'block' }}
          role="group"
          aria-label={t('Flow of events')}
        >
          {columns.map((title, column) => (
            <text key={title} x={12 + column * box.across} y={20} className="event-flow-head">
              {t(title)}
            </text>
          ))}
          {flow.links.map((link) => (
            <Link key={link.id} link={link} />
          ))}
          {flow.nodes.map((node) => (
            <Box
              key={node.id}
              node={node}
              isChosen={node.id === chosen}
              choose={() => setChosen(node.id === chosen ? undefined : node.id)}
            />
          ))}
        </svg>
      </div>
      {shown && <Reasons node={shown} />}
    </Stack>
  );
}

const leftOf = ({ column }: FlowNode) => 12 + column * box.across;
const topOf = ({ row }: FlowNode) => 32 + row * box.down;

/** An arrow; it is drawn anew, and so lights up, when something passed. */
function Link({ link: { from, to } }: { link: FlowLink }) {
  const passed = to.column === 1 ? from.tally.passed : sumOf(to.tally);
  const [x1, y1] = [leftOf(from) + box.width, topOf(from) + box.height / 2];
  const [x2, y2] = [leftOf(to), topOf(to) + box.height / 2];
  const middle = (x1 + x2) / 2;
  return (
    <path
      key={passed}
      className={passed > 0 ? 'event-flow-link event-flow-passed' : 'event-flow-link'}
      d={`M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`}
    />
  );
}

function Box({ node, isChosen, choose }: { node: FlowNode; isChosen: boolean; choose: () => void }) {
  const { title, subtitle, tally } = node;
  const told = names.filter((name) => tally[name] > 0);
  const words = told.map((name) => `${tally[name]} ${t(name)}`).join(', ') || t('nothing yet');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
    <g
      role="button"
      tabIndex={0}
      aria-pressed={isChosen}
      aria-label={`${title}: ${words}`}
      className="event-flow-box"
      transform={`translate(${leftOf(node)} ${topOf(node)})`}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        choose();
      }}
    >
      <rect width={box.width} height={box.height} rx={8} className={isChosen ? 'event-flow-chosen' : undefined} />
      <foreignObject width={box.width} height={box.height}>
        <div className="event-flow-words">
          <div className="event-flow-title" title={title}>
            {title}
          </div>
          <div className="event-flow-soft" title={subtitle}>
            {subtitle}
          </div>
          <div>
            {told.length === 0 ? (
              <span className="event-flow-soft">{t('nothing yet')}</span>
            ) : (
              told.map((name) => (
                <span
                  key={name}
                  className="event-flow-count"
                  style={{ color: `var(--mantine-color-${colours[name]}-text)` }}
                >
                  {tally[name]} {t(name)}
                </span>
              ))
            )}
          </div>
        </div>
      </foreignObject>
    </g>
  );
}

/** What happened at a box, with the last reason of each. */
function Reasons({ node }: { node: FlowNode }) {
  return (
    <div className="panel" style={{ overflow: 'auto' }}>
      <Table
        verticalSpacing={6}
        horizontalSpacing="md"
        miw={720}
        aria-label={t('Reasons of {name}', { name: node.title })}
      >
        <Table.Thead>
          <Table.Tr>
            {['What', 'Times', 'Of', 'Last', 'Event', 'Reason'].map((head) => (
              <Table.Th key={head}>{t(head)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {node.counts.map(({ kind, count, eventSource, event, dependency, trigger, last }) => (
            <Table.Tr key={[eventSource, event, dependency, trigger, kind].join(' ')}>
              <Table.Td>{kind}</Table.Td>
              <Table.Td>{count}</Table.Td>
              <Table.Td>{[`${eventSource}/${event}`, trigger].filter(Boolean).join(' → ')}</Table.Td>
              <Table.Td>{clockTime(last.at)}</Table.Td>
              <Table.Td>
                <code>{last.id.slice(0, 12)}</code>
              </Table.Td>
              <Table.Td>{last.text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {node.counts.length === 0 && (
        <Text className="soft" p="sm">
          {t('Nothing has come here since the controller started.')}
        </Text>
      )}
    </div>
  );
}

function sumOf({ passed, filtered, failed, waiting }: Tally): number {
  return passed + filtered + failed + waiting;
}
