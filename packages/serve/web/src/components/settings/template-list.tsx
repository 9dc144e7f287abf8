import { Group, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { settingsApi } from '../../api/settings.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { ConfirmButton } from '../forms/confirm-button.tsx';
import { TemplateForm, WriteForm } from './repository-forms.tsx';
import { SettingsDrawer } from './settings-drawer.tsx';

interface CredentialListProps<Item> {
  title: string;
  /** The form that adds one, behind its button. */
  add: ReactNode;
  /** What is said where there is none. */
  none: string;
  query: UseQueryResult<Item[]>;
  /** What removing one does, for people. */
  effect: string;
  remove: (item: Item) => Promise<unknown>;
}

/** Credentials by the address that they are for. */
function CredentialList<Item extends { url: string; project?: string | undefined; username?: string | undefined }>({
  title,
  add,
  none,
  query,
  effect,
  remove,
}: CredentialListProps<Item>) {
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3}>{title}</Title>
        {add}
      </Group>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data?.length === 0 && (
        <Text size="sm" className="soft">
          {none}
        </Text>
      )}
      {query.data?.map((item) => (
        <Group key={`${item.project} ${item.url}`} className="panel" p="sm" justify="space-between" wrap="nowrap">
          <div style={{ minWidth: 0 }}>
            <Text className="mono" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {item.url}
            </Text>
            <Text size="sm" className="soft">
              {[
                item.project && t('project {project}', { project: item.project }),
                item.username && t('as {user}', { user: item.username }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </div>
          <ConfirmButton
            label={t('Remove')}
            title={t('Remove the credentials of {url}', { url: item.url })}
            effect={effect}
            run={() => remove(item)}
            done={() => void query.refetch()}
          />
        </Group>
      ))}
    </Stack>
  );
}

/** Credentials by which hydrated manifests are pushed. */
export function WriteList() {
  const query = useQuery({
    queryKey: ['write-repositories'],
    queryFn: async () => (await settingsApi.writeRepositories()).map(({ repo, ...rest }) => ({ url: repo, ...rest })),
    staleTime: 30_000,
  });
  return (
    <CredentialList
      title={t('Credentials to push')}
      add={
        <SettingsDrawer label={t('Add credentials to push')} title={t('Add credentials to push')} variant="default">
          {(close) => <WriteForm close={close} />}
        </SettingsDrawer>
      }
      none={t('None: only who hydrates manifests needs some.')}
      query={query}
      effect={t('Hydrated manifests can no longer be pushed there.')}
      remove={({ url, project }) => settingsApi.removeWriteRepository(url, project)}
    />
  );
}

/** Credentials for all repositories whose address begins so. */
export function TemplateList() {
  const query = useQuery({ queryKey: ['repository-templates'], queryFn: settingsApi.templates, staleTime: 30_000 });
  return (
    <CredentialList
      title={t('Credential templates')}
      add={
        <SettingsDrawer label={t('Add a template')} title={t('Add a credential template')} variant="default">
          {(close) => <TemplateForm close={close} />}
        </SettingsDrawer>
      }
      none={t('None: each repository has its own credentials, or needs none.')}
      query={query}
      effect={t('Repositories that used them are read without credentials from now on, and fail if they need some.')}
      remove={({ url }) => settingsApi.removeTemplate(url)}
    />
  );
}
