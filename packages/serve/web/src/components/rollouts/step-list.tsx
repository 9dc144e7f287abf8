import { Group, Progress, Text } from '@mantine/core';
import type { Rollout } from '../../api/families.ts';
import { stepState, stepWords, weightWords } from '../../families/rollouts.ts';
import { t } from '../../i18n/texts.ts';

const symbols = { done: '✓', current: '▸', next: '' } as const;

/** The steps of a canary in their order, the one at hand marked, and the weight. */
export function StepList({ rollout }: { rollout: Rollout }) {
  const { weight, steps } = rollout;
  return (
    <section className="panel" style={{ padding: '14px 18px' }}>
      <Group justify="space-between" mb="sm">
        <Text fw={650}>{t('Steps {steps}', { steps: stepWords(rollout) })}</Text>
        {weight && (
          <Group gap="xs">
            <Text size="sm">{t('Canary {weight}', { weight: weightWords(rollout) })}</Text>
            <Progress value={weight.actual ?? weight.desired} w={160} aria-label={t('Weight of the canary')} />
          </Group>
        )}
      </Group>
      <ol className="rollout-steps">
        {steps.map((step, index) => {
          const state = stepState(rollout, index);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no name, and stay where they are
            <li key={index} data-state={state} aria-current={state === 'current' ? 'step' : undefined}>
              <span className="number" aria-hidden>
                {symbols[state] || index + 1}
              </span>
              <span>{step.text}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
