import { Alert, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsApi } from '../../api/settings.ts';
import { Failure } from '../../components/common/failure.tsx';
import { Loading } from '../../components/common/loading.tsx';
import { ExtensionIcon } from '../../components/extensions/extension-icon.tsx';
import { SettingsHead } from '../../components/settings/settings-head.tsx';
import { useExtensions } from '../../extensions/use-extensions.ts';
import { t } from '../../i18n/texts.ts';

/** The config-management plugins that are there to render applications. */
export function PluginsPage() {
  const list = useQuery({ queryKey: ['plugins'], queryFn: settingsApi.plugins });
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead title="Plugins" about="Config-management plugins that render applications." />
      {list.isLoading && <Loading height={80} />}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && <Text className="soft">{t('No plugin is there.')}</Text>}
      {list.data?.map(({ name }) => (
        <div key={name} className="panel mono" style={{ padding: '10px 16px' }}>
          {name}
        </div>
      ))}
      <UiExtensions />
    </Stack>
  );
}

/** What scripts of others add to this page, and which of them failed. */
function UiExtensions() {
  const { resources, pages, views, statuses, topBar, problems } = useExtensions();
  const parts: [string, readonly { title: string; icon?: string | undefined }[]][] = [
    [t('Tabs of objects'), resources],
    [t('Pages'), pages],
    [t('Views of an application'), views],
    [t('In the header of an application'), [...statuses, ...topBar]],
  ];
  const shown = parts.filter(([, items]) => items.length > 0);
  return (
    <>
      <Title order={3}>{t('Extensions of the page')}</Title>
      {problems.map(({ name, message }) => (
        <Alert key={name + message} color="red" title={t('{name} could not be run', { name })}>
          {message}
        </Alert>
      ))}
      {shown.length === 0 && problems.length === 0 && <Text className="soft">{t('No extension is there.')}</Text>}
      {shown.map(([where, items]) => (
        <div key={where} className="panel" style={{ padding: '10px 16px' }}>
          <Text size="sm" className="soft">
            {where}
          </Text>
          {items.map(({ title, icon }) => (
            <Text key={title}>
              <ExtensionIcon name={icon} /> {title}
            </Text>
          ))}
        </div>
      ))}
    </>
  );
}
