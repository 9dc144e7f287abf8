import { Group, Text } from '@mantine/core';
import type { Experiment } from '../../api/families.ts';
import { t } from '../../i18n/texts.ts';
import { StatusBadge } from '../common/status-badge.tsx';

/** An Experiment: its templates with their pods, and its analyses. */
export function ExperimentPanel({ experiment }: { experiment: Experiment }) {
  const { name, phase, message, templates, runs } = experiment;
  return (
    <section className="panel" style={{ padding: '14px 18px' }}>
      <Group gap="sm" mb="xs">
        <StatusBadge status={phase} />
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
      </Group>
      {message && <Text size="sm">{message}</Text>}
      {templates.map((template) => (
        <Group key={template.name} gap="xs">
          <StatusBadge status={template.phase} size="sm" />
          <Text size="sm">
            {template.name}:{' '}
            {t('{available} of {pods} pods available', { available: template.available, pods: template.pods })}{' '}
            {template.message}
          </Text>
        </Group>
      ))}
      {runs.map((run) => (
        <Group key={run.name} gap="xs">
          <StatusBadge status={run.phase} size="sm" />
          <Text size="sm">
            {t('Analysis {name}', { name: run.name })} ({run.analysisRun})
          </Text>
        </Group>
      ))}
    </section>
  );
}
