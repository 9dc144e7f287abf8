import { Badge, Group, Stack, Text } from '@mantine/core';
import type { AnalysisMetric, AnalysisRun } from '../../api/families.ts';
import { lookOf } from '../../applications/status.ts';
import { ago } from '../../browser/time.ts';
import { plotOf } from '../../families/rollouts.ts';
import { t } from '../../i18n/texts.ts';
import { StatusBadge } from '../common/status-badge.tsx';

/** An AnalysisRun: each metric with its conditions and its measurements. */
export function AnalysisPanel({ run }: { run: AnalysisRun }) {
  return (
    <section className="panel" style={{ padding: '14px 18px' }}>
      <Group gap="sm" mb="xs">
        <StatusBadge status={run.phase} />
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {run.name}
        </Text>
        <Text size="xs" className="soft">
          {ago(run.started, Date.now())}
        </Text>
      </Group>
      {run.message && (
        <Text size="sm" mb="xs" style={{ overflowWrap: 'anywhere' }}>
          {run.message}
        </Text>
      )}
      <div className="revision-cards">
        {run.metrics.map((metric) => (
          <Metric key={metric.name} metric={metric} />
        ))}
      </div>
    </section>
  );
}

function Metric({ metric }: { metric: AnalysisMetric }) {
  const { name, phase, dryRun, message, success, failure, measurements } = metric;
  const last = measurements.at(-1);
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <StatusBadge status={phase} size="sm" />
        {dryRun && (
          <Badge size="sm" color="gray" variant="light" tt="none">
            {t('dry run')}
          </Badge>
        )}
      </Group>
      {success && <Text className="mono soft">{t('succeeds if {condition}', { condition: success })}</Text>}
      {failure && <Text className="mono soft">{t('fails if {condition}', { condition: failure })}</Text>}
      <MeasurementPlot metric={metric} />
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {last
          ? t('{count} measured, last {value}', {
              count: measurements.length,
              value: last.value || last.message || last.phase,
            })
          : t('Nothing measured yet')}
      </Text>
      {message && (
        <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      )}
    </Stack>
  );
}

const frame = { width: 320, height: 84 };

/** The measurements of a metric from left to right, the colour and the shape of each by its phase. */
function MeasurementPlot({ metric }: { metric: AnalysisMetric }) {
  const { points, limits, low, high } = plotOf(metric, frame);
  if (points.length === 0) return null;
  const colour = (phase: string) => `var(--mantine-color-${lookOf(phase).colour}-6)`;
  return (
    <Group gap={6} wrap="nowrap" align="stretch">
      <svg
        viewBox={`0 0 ${frame.width} ${frame.height}`}
        className="plot"
        role="img"
        aria-label={`${t('Measurements of {name}', { name: metric.name })}: ${points.map(({ title }) => title).join('; ')}`}
      >
        {limits.map(({ y, value, of }) => (
          <g key={`${of} ${value}`} className={`limit ${of}`}>
            <title>
              {of === 'success'
                ? t('Succeeds by its comparison with {value}', { value })
                : t('Fails by its comparison with {value}', { value })}
            </title>
            <line x1={0} x2={frame.width} y1={y} y2={y} />
            <text x={frame.width - 4} y={y < 14 ? y + 11 : y - 3}>
              {value}
            </text>
          </g>
        ))}
        <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
        {points.map(({ x, y, phase, title }) => (
          <g key={`${x} ${title}`} fill={colour(phase)}>
            <title>{title}</title>
            {phase === 'Successful' ? (
              <circle cx={x} cy={y} r={4} />
            ) : (
              <rect x={x - 4} y={y - 4} width={8} height={8} transform={`rotate(45 ${x} ${y})`} />
            )}
          </g>
        ))}
      </svg>
      <Stack justify="space-between" gap={0} className="mono soft">
        <span>{high}</span>
        {low !== high && <span>{low}</span>}
      </Stack>
    </Group>
  );
}
