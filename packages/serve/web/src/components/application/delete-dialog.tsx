import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';

const ways = [
  {
    value: 'foreground',
    label: 'Foreground',
    description: 'Its objects are deleted; each goes when all that it owns has gone',
  },
  { value: 'background', label: 'Background', description: 'Its objects are deleted; what they own goes after them' },
  { value: 'none', label: 'Non-cascading', description: 'The objects stay in the cluster; nobody manages them then' },
] as const;

/** Deletes an application after its name was typed; says what goes with it. */
export function DeleteDialog({
  application,
  opened,
  close,
}: {
  application: Application;
  opened: boolean;
  close: () => void;
}) {
  return (
    <Modal opened={opened} onClose={close} title={t('Delete {name}', { name: application.metadata.name })}>
      {opened && <DeleteForm application={application} close={close} />}
    </Modal>
  );
}

function DeleteForm({ application, close }: { application: Application; close: () => void }) {
  const [way, setWay] = useState<string>('foreground');
  const [typed, setTyped] = useState('');
  const { name } = application.metadata;
  const propagation = way === 'foreground' || way === 'background' ? way : undefined;
  const mutation = useMutation({ mutationFn: () => api.remove(application.metadata, propagation), onSuccess: close });
  const count = (application.status?.resources ?? []).length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === name) mutation.mutate();
      }}
    >
      <Stack>
        <Radio.Group label={t('Propagation')} value={way} onChange={setWay}>
          <Stack gap="xs" mt="xs">
            {ways.map((item) => (
              <Radio key={item.value} value={item.value} label={t(item.label)} description={t(item.description)} />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm" c={propagation ? 'red' : 'inherit'} aria-live="polite">
          {propagation
            ? t('{objects} and all that belongs to them are deleted from the cluster.', {
                objects: count === 1 ? t('1 object') : t('{count} objects', { count }),
              })
            : count === 1
              ? t('1 object stays in the cluster.')
              : t('{count} objects stay in the cluster.', { count })}
        </Text>
        <TextInput
          label={t('Type {name} to confirm', { name })}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
        {mutation.error && <Failure error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit" color="red" disabled={typed !== name} loading={mutation.isPending}>
            {t('Delete')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
