import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsApi } from '../../api/settings.ts';
import { Failure } from '../../components/common/failure.tsx';
import { SettingsHead } from '../../components/settings/settings-head.tsx';
import { t } from '../../i18n/texts.ts';

/** The config-management plugins that are there to render applications. */
export function PluginsPage() {
  const list = useQuery({ queryKey: ['plugins'], queryFn: settingsApi.plugins });
  return (
    <Stack maw={900} mx="auto" gap="lg">
      <SettingsHead title="Plugins" about="Config-management plugins that render applications." />
      {list.isLoading && <Skeleton height={80} radius="md" />}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && <Text className="soft">{t('No plugin is there.')}</Text>}
      {list.data?.map(({ name }) => (
        <div key={name} className="panel mono" style={{ padding: '10px 16px' }}>
          {name}
        </div>
      ))}
    </Stack>
  );
}
