import { Group, Stack, Text } from '@mantine/core';
import type { WorkflowSummary } from '../../api/families.ts';
import { lookOf } from '../../applications/status.ts';
import { exactTime } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';

const size = { width: 900, height: 260, left: 60, bottom: 28 };

/** How long workflows took and how they ended, over time: one bar for each, higher for longer. */
export function WorkflowReport({ items }: { items: readonly WorkflowSummary[] }) {
  const ended = items
    .filter(({ started, finished }) => started && finished)
    .toSorted((a, b) => Date.parse(a.started) - Date.parse(b.started));
  if (ended.length === 0) return <Text className="soft">{t('No workflow has ended yet.')}</Text>;
  const seconds = (one: WorkflowSummary) => (Date.parse(one.finished) - Date.parse(one.started)) / 1000;
  const longest = Math.max(1, ...ended.map(seconds));
  const failed = ended.filter(({ phase }) => phase !== 'Succeeded').length;
  const sorted = ended.map(seconds).sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  const plot = { width: size.width - size.left, height: size.height - size.bottom };
  const step = plot.width / ended.length;
  const facts = [
    [t('Ended'), String(ended.length)],
    [t('Failed'), `${failed} (${Math.round((100 * failed) / ended.length)} %)`],
    [t('Half took up to'), `${Math.round(at(0.5))} s`],
    [t('95 % took up to'), `${Math.round(at(0.95))} s`],
  ];
  return (
    <Stack>
      <Group gap="xl">
        {facts.map(([name, value]) => (
          <div key={name}>
            <Text size="xs" className="soft">
              {name}
            </Text>
            <Text fw={650}>{value}</Text>
          </div>
        ))}
      </Group>
      <section className="panel" style={{ padding: 12 }}>
        <svg
          viewBox={`0 0 ${size.width} ${size.height}`}
          width="100%"
          role="img"
          aria-label={t(
            'Durations of {count} workflows in the order of their starts; {failed} failed; the longest took {seconds} seconds',
            { count: ended.length, failed, seconds: Math.round(longest) },
          )}
        >
          <g className="plot-words">
            <text
              x={size.left - 8}
              y={12}
              textAnchor="end"
              fontSize={12}
              fill="var(--soft)"
            >{`${Math.round(longest)} s`}</text>
            <text x={size.left - 8} y={plot.height} textAnchor="end" fontSize={12} fill="var(--soft)">
              0
            </text>
            <text x={size.left} y={size.height - 8} fontSize={12} fill="var(--soft)">
              {exactTime(ended[0]?.started ?? '')}
            </text>
            <text x={size.width} y={size.height - 8} textAnchor="end" fontSize={12} fill="var(--soft)">
              {exactTime(ended.at(-1)?.started ?? '')}
            </text>
          </g>
          {ended.map((one, index) => {
            const height = Math.max(2, (seconds(one) / longest) * plot.height);
            return (
              <rect
                key={one.uid ?? `${one.namespace}/${one.name}`}
                x={size.left + index * step}
                y={plot.height - height}
                width={Math.max(1, Math.min(24, step - 1))}
                height={height}
                fill={`var(--mantine-color-${lookOf(one.phase).colour}-6)`}
              >
                <title>{`${one.name}: ${t(one.phase)}, ${Math.round(seconds(one))} s`}</title>
              </rect>
            );
          })}
        </svg>
      </section>
    </Stack>
  );
}
