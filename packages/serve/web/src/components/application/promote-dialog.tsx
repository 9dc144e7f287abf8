import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { type Promotion, promotedDifferences } from '../../applications/promotion.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { DifferenceList } from './difference-list.tsx';

/** Brings what an application delivers into the sources of another one, once it was shown what that changes. */
export function PromoteDialog({ application, close }: { application: Application; close: () => void }) {
  const [to, setTo] = useState('');
  const [proposed, setProposed] = useState(true);
  const look = useMutation({ mutationFn: () => api.promote(application.metadata, { to: to.trim() }) });
  const commit = useMutation({
    mutationFn: (digest: string) => api.promote(application.metadata, { to: to.trim(), digest, pullRequest: proposed }),
  });
  const show = (event: FormEvent) => {
    event.preventDefault();
    commit.reset();
    look.mutate();
  };
  const change = (name: string) => {
    setTo(name);
    // what is shown is what is committed
    look.reset();
    commit.reset();
  };
  const shown = look.data;
  return (
    <Modal opened onClose={close} title={t('Promote {name}', { name: application.metadata.name })} size="90%">
      <Stack gap="sm">
        <form onSubmit={show}>
          <Group gap="sm" align="flex-end">
            <TextInput
              label={t('To application')}
              placeholder={t('[NAMESPACE/]NAME')}
              value={to}
              onChange={(event) => change(event.currentTarget.value)}
              data-autofocus
            />
            <Button type="submit" variant="default" loading={look.isPending} disabled={to.trim() === ''}>
              {t('Show what would change')}
            </Button>
          </Group>
        </form>
        {look.error && <Failure error={look.error} />}
        {shown && <Shown promotion={shown} />}
        {shown && shown.files.length > 0 && !commit.data && (
          <Group gap="sm">
            <Checkbox
              label={t('As a pull request')}
              checked={proposed}
              onChange={(event) => setProposed(event.currentTarget.checked)}
            />
            <Button loading={commit.isPending} onClick={() => commit.mutate(shown.digest)}>
              {proposed ? t('Propose') : t('Commit to {branch}', { branch: shown.branch })}
            </Button>
          </Group>
        )}
        {commit.error && <Failure error={commit.error} />}
        {commit.data && <Done promotion={commit.data} />}
      </Stack>
    </Modal>
  );
}

function Shown({ promotion: { images, versions, files, preview, hidden } }: { promotion: Promotion }) {
  if (files.length === 0) return <Text>{t('Nothing to promote.')}</Text>;
  return (
    <Stack gap="sm">
      {[...versions, ...images].map(({ name, from, to, left }) => (
        <Text key={name} size="sm">
          {name}: {from.join(', ')} → {to}
          {left && ` (${t('stays: {image}', { image: left })})`}
        </Text>
      ))}
      <Text size="sm" className="soft">
        {files.map(({ action, path }) => `${action} ${path}`).join(' · ')}
      </Text>
      {hidden > 0 && (
        <Text size="sm">{t('{count} more applications change that you may not see.', { count: hidden })}</Text>
      )}
      {preview.items.map(({ namespace, name, objects, problem }) => (
        <Stack key={`${namespace}/${name}`} gap="xs">
          <Text fw={600}>
            {namespace}/{name}
          </Text>
          {problem && <Text c="red">{problem.message}</Text>}
          <DifferenceList items={promotedDifferences(objects)} />
        </Stack>
      ))}
    </Stack>
  );
}

function Done({ promotion: { commit, head, branch, pullRequest, problem } }: { promotion: Promotion }) {
  return (
    <div role="status">
      <Text>
        {commit
          ? t('Commit {commit} was pushed to {branch}.', { commit: commit.slice(0, 12), branch: head ?? branch })
          : t('The branch {branch} has this change already.', { branch: head ?? branch })}{' '}
        {pullRequest && /^https?:/.test(pullRequest) && (
          <a href={pullRequest} target="_blank" rel="noreferrer">
            {pullRequest}
          </a>
        )}
      </Text>
      {problem && <Text>{problem}</Text>}
    </div>
  );
}
