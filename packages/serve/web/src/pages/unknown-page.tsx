import { Button, Stack, Text, Title } from '@mantine/core';
import { navigate } from '../browser/router.ts';
import { t } from '../i18n/texts.ts';

export function UnknownPage({ path }: { path: string }) {
  return (
    <Stack align="flex-start">
      <Title order={2}>{t('There is no such page')}</Title>
      <Text className="soft mono">{path}</Text>
      <Button onClick={() => navigate('/applications')}>{t('All applications')}</Button>
    </Stack>
  );
}
