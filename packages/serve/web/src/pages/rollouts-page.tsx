import { Progress, Text } from '@mantine/core';
import { families, type RolloutSummary } from '../api/families.ts';
import { FamilyList } from '../components/common/family-list.tsx';
import { PhaseCell } from '../components/common/phase-cell.tsx';
import { isUpdating, stepWords, weightWords } from '../families/rollouts.ts';
import { t } from '../i18n/texts.ts';

/** All Rollouts of the control plane's cluster. */
export function RolloutsPage() {
  return (
    <FamilyList<RolloutSummary>
      title="Rollouts"
      path="rollouts"
      read={families.rollouts}
      columns={[
        { title: 'Strategy', cell: ({ strategy }) => strategy },
        { title: 'Phase', cell: ({ phase, message }) => <PhaseCell phase={phase} message={message} /> },
        { title: 'Step', cell: (rollout) => stepWords(rollout) || '–' },
        { title: 'Weight', cell: (rollout) => <Weight rollout={rollout} /> },
        {
          title: 'Pods',
          cell: ({ pods }) =>
            t('{available} of {wanted} available', { available: pods.available, wanted: pods.wanted }),
        },
        { title: 'Revision', cell: (rollout) => <Revision rollout={rollout} /> },
      ]}
    />
  );
}

function Weight({ rollout }: { rollout: RolloutSummary }) {
  const { weight } = rollout;
  if (!weight) return '–';
  return (
    <>
      <Text size="sm">{weightWords(rollout)}</Text>
      <Progress
        value={weight.actual ?? weight.desired}
        size="sm"
        w={90}
        mt={4}
        aria-label={t('Weight of the canary')}
      />
    </>
  );
}

function Revision({ rollout }: { rollout: RolloutSummary }) {
  const { revision, current, stable } = rollout;
  return (
    <>
      <Text size="sm">{revision ? `#${revision}` : '–'}</Text>
      <Text className="mono soft" size="xs">
        {isUpdating(rollout) ? `${stable} → ${current}` : current}
      </Text>
    </>
  );
}
