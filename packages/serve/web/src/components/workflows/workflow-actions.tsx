import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApplicationRef } from '../../api/client.ts';
import type { Workflow } from '../../api/families.ts';
import { flow } from '../../api/flow.ts';
import { navigate } from '../../browser/router.ts';
import { type VerbWords, verbsOf } from '../../families/workflow-verbs.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';

/** What can be done with a workflow; each says what will happen before it does. */
export function WorkflowActions({ reference, workflow }: { reference: ApplicationRef; workflow: Workflow }) {
  const [chosen, setChosen] = useState<VerbWords>();
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: (verb: VerbWords) => flow.act(reference, verb.verb, workflow.archived ? { uid: workflow.uid } : {}),
    onSuccess: async (made, { verb }) => {
      setChosen(undefined);
      await queries.invalidateQueries({ queryKey: ['workflows'] });
      const name = made.metadata?.name;
      if (verb === 'resubmit' && name)
        navigate(`/workflows/${encodeURIComponent(reference.namespace)}/${encodeURIComponent(name)}`);
    },
  });
  const close = () => {
    setChosen(undefined);
    act.reset();
  };
  return (
    <Group gap="xs">
      {verbsOf(workflow).map((verb) => (
        <Button
          key={verb.verb}
          size="xs"
          variant={verb.danger ? 'outline' : 'default'}
          {...(verb.danger ? { color: 'red' } : {})}
          onClick={() => setChosen(verb)}
        >
          {verb.title}
        </Button>
      ))}
      <Modal opened={chosen !== undefined} onClose={close} title={`${chosen?.title ?? ''} ${reference.name}`}>
        {chosen && (
          <Stack>
            <Text>{chosen.says}</Text>
            {act.error && <Failure error={act.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t('Cancel')}
              </Button>
              <Button
                data-autofocus
                {...(chosen.danger ? { color: 'red' } : {})}
                loading={act.isPending}
                onClick={() => act.mutate(chosen)}
              >
                {chosen.title}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </Group>
  );
}
