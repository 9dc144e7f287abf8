import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { RequestError } from '../../api/client.ts';
import { t } from '../../i18n/texts.ts';
import { DiagnosisPanel } from './diagnosis-panel.tsx';

/** A request that failed: what the server said, what can be done about it, and another try. */
export function Failure({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const diagnoses = (error instanceof RequestError ? error.diagnoses : []).filter(
    ({ remedies }) => remedies && remedies.length > 0,
  );
  const again = retry && (
    <Button size="xs" variant="default" onClick={retry} style={{ alignSelf: 'flex-start' }}>
      {t('Try again')}
    </Button>
  );
  // what is known of the cause says all that the bare message does
  if (diagnoses.length > 0)
    return (
      <Stack gap="xs" role="alert">
        {title && <Text fw={650}>{title}</Text>}
        {diagnoses.map((diagnosis) => (
          <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis}>
            {again}
          </DiagnosisPanel>
        ))}
      </Stack>
    );
  return (
    <Alert color="red" title={title ?? titleOf(error)} role="alert" variant="light">
      <Group justify="space-between" align="flex-start">
        <span className="mono" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {error instanceof Error ? error.message : String(error)}
        </span>
        {again}
      </Group>
    </Alert>
  );
}

function titleOf(error: unknown): string {
  const status = error instanceof RequestError ? error.status : undefined;
  if (status === 0) return t('The server does not answer');
  if (status === 401) return t('Your session has ended');
  if (status === 403) return t('You may not do this');
  return status !== undefined && status >= 500 ? t('The server failed') : t('The server refused');
}
