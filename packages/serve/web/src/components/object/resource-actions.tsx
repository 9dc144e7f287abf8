import { Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { ResourceAction, TreeNode } from '../../api/model.ts';
import { actionDefaults } from '../../applications/actions.ts';
import { useSearch } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';

/** What can be done to an object: its actions, and its deletion. `live` is its manifest. */
export function ResourceActions({
  reference,
  node,
  live,
}: {
  reference: ApplicationRef;
  node: TreeNode;
  live: unknown;
}) {
  const [search, changeSearch] = useSearch();
  const [done, setDone] = useState('');
  const actions = useQuery({
    queryKey: ['actions', reference.namespace, reference.name, node.uid],
    queryFn: () => api.actions(reference, node),
  });
  // the address says what was asked for, so that menus of other places can ask for it
  const deleting = search.get('nodeDelete') === 'true';
  // its fields begin with what the object has
  const asked = live === undefined ? null : search.get('nodeAct');
  const action = actions.data?.find(({ name, disabled }) => name === asked && !disabled);
  const close = (words = '') => {
    changeSearch({ nodeAct: undefined, nodeDelete: undefined });
    setDone(words);
    if (words) void actions.refetch();
  };
  return (
    <Group gap="sm">
      <Menu position="bottom-start" onOpen={() => void actions.refetch()}>
        <Menu.Target>
          <Button size="xs" variant="default">
            {t('Actions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.isLoading && <Menu.Label>{t('Loading …')}</Menu.Label>}
          {actions.data?.length === 0 && <Menu.Label>{t('No action of this kind')}</Menu.Label>}
          {actions.data?.map((item) => (
            <Menu.Item
              key={item.name}
              disabled={item.disabled ?? false}
              onClick={() => changeSearch({ nodeAct: item.name })}
            >
              {titleOf(item)}
              {item.params?.length ? ' …' : ''}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item color="red" onClick={() => changeSearch({ nodeDelete: 'true' })}>
            {t('Delete …')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Text size="sm" role="status">
        {done}
      </Text>
      {actions.error && <Failure error={actions.error} retry={() => void actions.refetch()} />}
      <Modal opened={action !== undefined} onClose={() => close()} title={action && titleOf(action)}>
        {action && <ActionForm reference={reference} node={node} action={action} live={live} close={close} />}
      </Modal>
      <Modal
        opened={deleting}
        onClose={() => close()}
        title={t('Delete {name}', { name: `${node.kind} ${node.name}` })}
      >
        {deleting && <DeleteForm reference={reference} node={node} close={close} />}
      </Modal>
    </Group>
  );
}

function titleOf({ name, displayName }: ResourceAction): string {
  return displayName || name;
}

interface FormProps {
  reference: ApplicationRef;
  node: TreeNode;
  close: (words?: string) => void;
}

function ActionForm({ reference, node, action, live, close }: FormProps & { action: ResourceAction; live: unknown }) {
  const queries = useQueryClient();
  const names = (action.params ?? []).map(({ name }) => name);
  const [before, after] = t('Does it to {kind} {name} in the cluster, not in the repository.', {
    kind: node.kind,
  }).split('{name}');
  const [values, setValues] = useState(() => actionDefaults(names, live));
  const mutation = useMutation({
    mutationFn: () => api.runAction(reference, node, action.name, values),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['live', reference.namespace, reference.name, node.uid] });
      close(`${titleOf(action)}: ${t('done')}`);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          {before}
          <strong>{node.name}</strong>
          {after}
        </Text>
        {names.map((name, index) => (
          <TextInput
            key={name}
            label={name}
            required
            value={values[name] ?? ''}
            data-autofocus={index === 0 || undefined}
            onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
        {mutation.error && <Failure error={mutation.error} />}
        <Buttons close={close} word={t('Run')} pending={mutation.isPending} />
      </Stack>
    </form>
  );
}

const deletions = [
  { word: 'Delete', how: { force: false, orphan: false }, words: 'It goes when all that it owns has gone.' },
  {
    word: 'Force',
    how: { force: true, orphan: false },
    words: 'It goes at once, without waiting for what runs in it.',
  },
  {
    word: 'Keep what it owns',
    how: { force: false, orphan: true },
    words: 'It goes; what it owns stays, and nobody manages that.',
  },
] as const;

function DeleteForm({ reference, node, close }: FormProps) {
  const mutation = useMutation({
    mutationFn: (how: (typeof deletions)[number]['how']) => api.deleteObject(reference, node, how),
    onSuccess: () => close(t('Deleted')),
  });
  return (
    <Stack>
      {deletions.map(({ word, how, words }) => (
        <Group key={word} justify="space-between" wrap="nowrap">
          <Text size="sm">{t(words)}</Text>
          <Button color="red" variant="light" loading={mutation.isPending} onClick={() => mutation.mutate(how)}>
            {t(word)}
          </Button>
        </Group>
      ))}
      {mutation.error && <Failure error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => close()}>
          {t('Cancel')}
        </Button>
      </Group>
    </Stack>
  );
}

function Buttons({ close, word, pending }: { close: () => void; word: string; pending: boolean }) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={() => close()}>
        {t('Cancel')}
      </Button>
      <Button type="submit" loading={pending}>
        {word}
      </Button>
    </Group>
  );
}
