import { Alert, Group, List, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import { t } from '../../i18n/texts.ts';
import { ConfirmButton } from '../forms/confirm-button.tsx';

interface Delivery {
  readonly phase?: string;
  readonly application?: string;
  readonly to?: string;
  readonly from?: string;
  readonly words?: string;
  readonly settled?: boolean;
  readonly findings?: readonly { readonly code: string; readonly message: string }[];
  readonly differences?: readonly {
    readonly application: string;
    readonly running: string;
    readonly candidate: string;
  }[];
}

/** Differences that are shown; the command line has all. */
const shown = 5;

const answer = (words: 'accept' | 'take-back') =>
  request('POST', `self-management/${words}`, { root: 'api/tiphys/v1' });

/** Of a new version of Tiphys that is proved, watched or was not wanted; nothing where all is well, or the reader may not know. */
export function SelfManagementNotice() {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['self-management'],
    queryFn: () => request<Delivery>('GET', 'self-management', { root: 'api/tiphys/v1' }).catch((): Delivery => ({})),
    refetchInterval: ({ state }) => (state.data?.phase && !state.data.settled ? 3_000 : 60_000),
  });
  if (!data?.phase || data.phase === 'Delivered') return null;
  const changed = () => void queries.invalidateQueries({ queryKey: ['self-management'] });
  const bad = ['Refused', 'TakingBack', 'TakenBack'].includes(data.phase);
  const waits = data.phase === 'AwaitingConfirmation';
  return (
    <Alert
      color={bad ? 'red' : waits ? 'yellow' : 'blue'}
      title={t('A new version of Tiphys: {phase}', { phase: data.words ?? data.phase })}
      data-testid="self-management"
    >
      <Text size="sm">
        {data.application}: {data.from} → {data.to}
      </Text>
      <List size="sm">
        {(data.findings ?? []).map(({ code, message }) => (
          <List.Item key={`${code} ${message}`}>{message}</List.Item>
        ))}
        {(data.differences ?? []).slice(0, shown).map(({ application, running, candidate }) => (
          <List.Item key={application}>
            {application}: {running} → {candidate}
          </List.Item>
        ))}
      </List>
      <Group gap="xs" mt="xs">
        {waits && (
          <ConfirmButton
            size="xs"
            danger={false}
            label={t('Deliver it nevertheless')}
            title={t('Deliver it nevertheless')}
            effect={t(
              'The new version is delivered although it decides otherwise. It is watched, and taken back if it fails.',
            )}
            run={() => answer('accept')}
            done={changed}
          />
        )}
        {data.phase === 'Watching' && (
          <ConfirmButton
            size="xs"
            label={t('Take it back')}
            title={t('Take it back')}
            effect={t(
              'What ran before is restored, and the new version is in quarantine until a newer revision comes.',
            )}
            run={() => answer('take-back')}
            done={changed}
          />
        )}
      </Group>
    </Alert>
  );
}
