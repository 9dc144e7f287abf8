import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsApi } from '../../api/settings.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { ConfirmButton } from '../forms/confirm-button.tsx';
import { TemplateForm } from './repository-forms.tsx';
import { SettingsDrawer } from './settings-drawer.tsx';

/** Credentials for all repositories whose address begins so. */
export function TemplateList() {
  const list = useQuery({ queryKey: ['repository-templates'], queryFn: settingsApi.templates, staleTime: 30_000 });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3}>{t('Credential templates')}</Title>
        <SettingsDrawer label={t('Add a template')} title={t('Add a credential template')} variant="default">
          {(close) => <TemplateForm close={close} />}
        </SettingsDrawer>
      </Group>
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <Text size="sm" className="soft">
          {t('None: each repository has its own credentials, or needs none.')}
        </Text>
      )}
      {list.data?.map(({ url, username }) => (
        <Group key={url} className="panel" p="sm" justify="space-between" wrap="nowrap">
          <div style={{ minWidth: 0 }}>
            <Text className="mono" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {url}
            </Text>
            {username && (
              <Text size="sm" className="soft">
                {t('as {user}', { user: username })}
              </Text>
            )}
          </div>
          <ConfirmButton
            label={t('Remove')}
            title={t('Remove the credentials of {url}', { url })}
            effect={t(
              'Repositories that used them are read without credentials from now on, and fail if they need some.',
            )}
            run={() => settingsApi.removeTemplate(url)}
            done={() => void list.refetch()}
          />
        </Group>
      ))}
    </Stack>
  );
}
