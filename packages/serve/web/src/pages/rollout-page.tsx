import { Button, Group, Modal, Stack, Text, Title, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApplicationRef } from '../api/client.ts';
import { families, type Rollout } from '../api/families.ts';
import { ago } from '../browser/time.ts';
import { ConditionTable } from '../components/common/condition-table.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { Failure } from '../components/common/failure.tsx';
import { lookAgain } from '../components/common/family-list.tsx';
import { Loading } from '../components/common/loading.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { AnalysisPanel } from '../components/rollouts/analysis-panel.tsx';
import { ExperimentPanel } from '../components/rollouts/experiment-panel.tsx';
import { RevisionCards } from '../components/rollouts/revision-cards.tsx';
import { ImageChange, RollBack } from '../components/rollouts/rollout-changes.tsx';
import { StepList } from '../components/rollouts/step-list.tsx';
import { offersOf, type VerbOffer } from '../families/rollouts.ts';
import { t } from '../i18n/texts.ts';

/** One Rollout: what is wrong, its steps, its revisions side by side, its analyses, and what can be done. */
export function RolloutPage({ reference }: { reference: ApplicationRef }) {
  const key = ['rollouts', reference.namespace, reference.name];
  const rollout = useQuery({
    queryKey: key,
    queryFn: () => families.rollout(reference),
    refetchInterval: lookAgain,
    retry: false,
  });
  if (!rollout.data && rollout.error) return <Failure error={rollout.error} retry={() => void rollout.refetch()} />;
  if (!rollout.data) return <Loading />;
  const { data } = rollout;
  return (
    <Stack maw={1400} mx="auto" gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{data.name}</Title>
          <StatusBadge status={data.phase} size="lg" />
          <Text className="soft">
            {data.namespace} · {data.strategy}
            {data.revision ? ` · ${t('revision {revision}', { revision: data.revision })}` : ''}
          </Text>
        </Group>
        <Verbs rollout={data} reference={reference} />
      </Group>
      {rollout.error && <Failure error={rollout.error} retry={() => void rollout.refetch()} />}
      {data.message && data.diagnoses.length === 0 && (
        <Text style={{ overflowWrap: 'anywhere' }}>
          {data.message}
          {data.pauses[0] && ` · ${t('paused {ago}', { ago: ago(data.pauses[0].since, Date.now()) })}`}
        </Text>
      )}
      {data.diagnoses.map((diagnosis) => (
        <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis} />
      ))}
      {data.notes.map((note) => (
        <Text key={note} className="soft">
          {note}
        </Text>
      ))}
      {data.steps.length > 0 && <StepList rollout={data} />}
      <Section title={t('Revisions')}>
        <RevisionCards rollout={data} />
      </Section>
      {data.analyses.length > 0 && (
        <Section title={t('Analyses')}>
          {data.analyses.map((run) => (
            <AnalysisPanel key={run.name} run={run} />
          ))}
        </Section>
      )}
      {data.experiments.length > 0 && (
        <Section title={t('Experiments')}>
          {data.experiments.map((experiment) => (
            <ExperimentPanel key={experiment.name} experiment={experiment} />
          ))}
        </Section>
      )}
      {data.conditions.length > 0 && (
        <Section title={t('Conditions')}>
          <ConditionTable conditions={data.conditions} />
        </Section>
      )}
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={4}>{title}</Title>
      {children}
    </Stack>
  );
}

function Verbs({ rollout, reference }: { rollout: Rollout; reference: ApplicationRef }) {
  const [chosen, setChosen] = useState<VerbOffer>();
  return (
    <Group gap="xs">
      {offersOf(rollout).map((offer) => (
        <Tooltip key={offer.verb} label={offer.refusal} disabled={!offer.refusal}>
          <Button
            size="xs"
            variant={offer.verb === 'promote' && !offer.refusal ? 'filled' : 'default'}
            disabled={offer.refusal !== undefined}
            onClick={() => setChosen(offer)}
          >
            {offer.title}
          </Button>
        </Tooltip>
      ))}
      <RollBack rollout={rollout} reference={reference} />
      <ImageChange rollout={rollout} reference={reference} />
      <Modal
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={chosen && `${chosen.title}: ${rollout.name}`}
      >
        {chosen && <Confirmation offer={chosen} reference={reference} close={() => setChosen(undefined)} />}
      </Modal>
    </Group>
  );
}

interface ConfirmationProps {
  offer: VerbOffer;
  reference: ApplicationRef;
  close: () => void;
}

function Confirmation({ offer, reference, close }: ConfirmationProps) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: () => families.act(reference, offer.verb),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['rollouts'] });
      close();
    },
  });
  return (
    <Stack>
      <Text>{offer.effect}</Text>
      {mutation.error && <Failure error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('Cancel')}
        </Button>
        <Button
          {...(offer.dangerous ? { color: 'red' } : {})}
          loading={mutation.isPending}
          onClick={() => mutation.mutate()}
          data-autofocus
        >
          {offer.title}
        </Button>
      </Group>
    </Stack>
  );
}
