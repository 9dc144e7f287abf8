import { Button, Group, Modal, Select, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ApplicationRef } from '../../api/client.ts';
import { families, type Rollout } from '../../api/families.ts';
import { denied, earlierRevisions, imageEffect, rollBackEffect } from '../../families/rollouts.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';

interface ChangeProps {
  rollout: Rollout;
  reference: ApplicationRef;
}

/** Goes back to the template of an earlier revision, and says before what that does. */
export function RollBack({ rollout, reference }: ChangeProps) {
  const earlier = earlierRevisions(rollout);
  const [wanted, setWanted] = useState<string | null>(null);
  const chosen = earlier.find(({ revision }) => revision === wanted) ?? earlier[0];
  return (
    <Change
      title={t('Roll back')}
      name={rollout.name}
      refusal={rollout.mayAct ? (chosen ? undefined : t('There is no earlier revision')) : denied()}
      change={chosen && (() => families.rollBack(reference, Number(chosen.revision)))}
      effect={chosen ? rollBackEffect(rollout, chosen) : ''}
    >
      <Select
        label={t('Revision')}
        allowDeselect={false}
        data={earlier.map(({ revision, images }) => ({ value: revision, label: `${revision}: ${images.join(', ')}` }))}
        value={chosen?.revision ?? null}
        onChange={setWanted}
      />
    </Change>
  );
}

/** Gives a container another image, and says before what that does. */
export function ImageChange({ rollout, reference }: ChangeProps) {
  const newest = rollout.revisions.find(({ hash }) => hash === rollout.current) ?? rollout.revisions[0];
  const containers = newest?.containers ?? [];
  const [wanted, setWanted] = useState<string | null>(null);
  const [image, setImage] = useState('');
  const container = wanted ?? containers[0];
  const present = newest?.images[containers.indexOf(container ?? '')] ?? '';
  const isAnother = image.trim() !== '' && image.trim() !== present;
  return (
    <Change
      title={t('Set image')}
      name={rollout.name}
      refusal={rollout.mayAct ? (container ? undefined : t('It has no ReplicaSets yet')) : denied()}
      change={container && isAnother ? () => families.setImage(reference, container, image.trim()) : undefined}
      effect={container ? imageEffect(rollout, container, image.trim()) : ''}
    >
      <Select
        label={t('Container')}
        allowDeselect={false}
        data={[...new Set(containers)]}
        value={container ?? null}
        onChange={setWanted}
      />
      <TextInput
        label={t('Image')}
        placeholder={present}
        value={image}
        onChange={(event) => setImage(event.currentTarget.value)}
      />
    </Change>
  );
}

interface ChangeDialogProps {
  title: string;
  name: string;
  refusal: string | undefined;
  /** Absent while there is nothing to be done. */
  change: (() => Promise<unknown>) | undefined;
  effect: string;
  children: ReactNode;
}

function Change({ title, name, refusal, change, effect, children }: ChangeDialogProps) {
  const [open, setOpen] = useState(false);
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: async () => change?.(),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['rollouts'] });
      setOpen(false);
    },
  });
  return (
    <>
      <Tooltip label={refusal} disabled={!refusal}>
        <Button size="xs" variant="default" disabled={refusal !== undefined} onClick={() => setOpen(true)}>
          {title}
        </Button>
      </Tooltip>
      <Modal opened={open} onClose={() => setOpen(false)} title={`${title}: ${name}`}>
        <Stack>
          {children}
          <Text>{effect}</Text>
          {mutation.error && <Failure error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)}>
              {t('Cancel')}
            </Button>
            <Button disabled={!change} loading={mutation.isPending} onClick={() => mutation.mutate()}>
              {title}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
