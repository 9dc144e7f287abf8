import { Checkbox, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { RetryChoices } from '../../applications/sync-request.ts';

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
        label="Try again if it fails"
        checked={retry.enabled}
        onChange={(event) => change({ ...retry, enabled: event.currentTarget.checked })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {number('limit', 'Limit', 'Attempts after the first; -1 is without end', -1)}
        {duration('duration', 'First wait', 'Such as 5s')}
        {number('factor', 'Factor', 'Each wait is so many times as long as the one before', 1)}
        {duration('maxDuration', 'Longest wait', 'Such as 3m')}
      </SimpleGrid>
      <Checkbox
        label="Refresh"
        description="Take the newest revision at each attempt"
        disabled={!retry.enabled}
        checked={retry.refresh}
        onChange={(event) => change({ ...retry, refresh: event.currentTarget.checked })}
      />
    </Stack>
  );
}
