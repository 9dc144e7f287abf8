import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { Application } from '../api/model.ts';
import { Failure } from './failure.tsx';

/** Starts a sync; says beforehand what it would delete. */
export function SyncDialog({
  application,
  opened,
  close,
}: {
  application: Application;
  opened: boolean;
  close: () => void;
}) {
  const [options, setOptions] = useState({ prune: false, dryRun: false, force: false, applyOnly: false, revision: '' });
  const mutation = useMutation({ mutationFn: () => api.sync(application.metadata, options), onSuccess: close });
  const pruned = (application.status?.resources ?? []).filter(({ requiresPruning }) => requiresPruning);
  const flag = (name: 'prune' | 'dryRun' | 'force' | 'applyOnly', label: string, description: string) => (
    <Checkbox
      label={label}
      description={description}
      checked={options[name]}
      onChange={(event) => setOptions({ ...options, [name]: event.currentTarget.checked })}
    />
  );
  return (
    <Modal opened={opened} onClose={close} title={`Sync ${application.metadata.name}`} size="lg">
      <Stack>
        <TextInput
          label="Revision"
          placeholder={application.spec.source?.targetRevision || 'HEAD'}
          value={options.revision}
          onChange={(event) => setOptions({ ...options, revision: event.currentTarget.value })}
        />
        {flag(
          'prune',
          'Prune',
          pruned.length === 0
            ? 'Nothing is left over now'
            : `Deletes ${pruned.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`,
        )}
        {flag('dryRun', 'Dry run', 'Ask the cluster, change nothing')}
        {flag('applyOnly', 'Apply only', 'Leave hooks out')}
        {flag('force', 'Force', 'Delete and create again what cannot be changed in place')}
        {options.force && (
          <Text size="sm" c="red">
            Objects that cannot be changed in place are deleted first: their pods, addresses and data go with them.
          </Text>
        )}
        {mutation.error && <Failure error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button loading={mutation.isPending} onClick={() => mutation.mutate()}>
            {options.dryRun ? 'Try' : 'Synchronize'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
