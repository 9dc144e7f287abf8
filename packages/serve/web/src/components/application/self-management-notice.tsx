import { Alert, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import { t } from '../../i18n/texts.ts';

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

/** Of a new version of Tiphys that is proved, watched or was not wanted; nothing where all is well, or the reader may not know. */
export function SelfManagementNotice() {
  const { data } = useQuery({
    queryKey: ['self-management'],
    queryFn: () => request<Delivery>('GET', 'self-management', { root: 'api/tiphys/v1' }).catch((): Delivery => ({})),
    refetchInterval: ({ state }) => (state.data?.phase && !state.data.settled ? 3_000 : 60_000),
  });
  if (!data?.phase || data.phase === 'Delivered') return null;
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
      {waits && <Text size="sm">{t('To deliver it nevertheless: tiphys self accept')}</Text>}
    </Alert>
  );
}
