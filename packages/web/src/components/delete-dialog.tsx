import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { Application } from '../api/model.ts';
import { Failure } from './failure.tsx';

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
  const [cascade, setCascade] = useState(true);
  const [typed, setTyped] = useState('');
  const mutation = useMutation({ mutationFn: () => api.remove(application.metadata, cascade), onSuccess: close });
  const objects = application.status?.resources ?? [];
  return (
    <Modal opened={opened} onClose={close} title={`Delete ${application.metadata.name}`}>
      <Stack>
        <Checkbox
          label="Delete its objects too"
          checked={cascade}
          onChange={(event) => setCascade(event.currentTarget.checked)}
        />
        <Text size="sm" c={cascade ? 'red' : 'inherit'}>
          {cascade
            ? `${objects.length} objects and all that belongs to them are deleted from the cluster.`
            : 'The objects stay in the cluster; nobody manages them then.'}
        </Text>
        <TextInput
          label={`Type ${application.metadata.name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {mutation.error && <Failure error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            color="red"
            disabled={typed !== application.metadata.name}
            loading={mutation.isPending}
            onClick={() => mutation.mutate()}
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
