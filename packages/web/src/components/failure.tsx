import { Alert, Button, Group } from '@mantine/core';
import { RequestError } from '../api/client.ts';

/** A request that failed: what the server said, and another try. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Alert
      color="red"
      title={error instanceof RequestError && error.status === 0 ? 'The server does not answer' : 'The server refused'}
      variant="light"
    >
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <span className="mono" style={{ whiteSpace: 'pre-wrap' }}>
          {error instanceof Error ? error.message : String(error)}
        </span>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
