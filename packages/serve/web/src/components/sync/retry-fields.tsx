import { Checkbox, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { RetryChoices } from '../../applications/sync-request.ts';
import { t } from '../../i18n/texts.ts';

/** How often a failed sync is tried again, and after which waits. */
export function RetryFields({ retry, change }: { retry: RetryChoices; change: (retry: RetryChoices) => void }) {
  const number = (name: 'limit' | 'factor', label: string, description: string, min: number) => (
    <NumberInput
      label={label}
      description={description}
      min={min}
      allowDecimal={false}
      disabled={!retry.enabled}
      value={retry[name]}
      onChange={(value) => change({ ...retry, [name]: Number(value) || 0 })}
    />
  );
  const duration = (name: 'duration' | 'maxDuration', label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      disabled={!retry.enabled}
      value={retry[name]}
      onChange={(event) => change({ ...retry, [name]: event.currentTarget.value.trim() })}
    />
  );
  return (
    <Stack>
      <Checkbox
        label={t('Try again if it fails')}
        checked={retry.enabled}
        onChange={(event) => change({ ...retry, enabled: event.currentTarget.checked })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {number('limit', t('Limit'), t('Attempts after the first; -1 is without end'), -1)}
        {duration('duration', t('First wait'), t('Such as 5s'))}
        {number('factor', t('Factor'), t('Each wait is so many times as long as the one before'), 1)}
        {duration('maxDuration', t('Longest wait'), t('Such as 3m'))}
      </SimpleGrid>
      <Checkbox
        label={t('Refresh')}
        description={t('Take the newest revision at each attempt')}
        disabled={!retry.enabled}
        checked={retry.refresh}
        onChange={(event) => change({ ...retry, refresh: event.currentTarget.checked })}
      />
    </Stack>
  );
}
