import { Text } from '@mantine/core';
import { StatusBadge } from './status-badge.tsx';

/** A phase, and the sentence that goes with it. */
export function PhaseCell({ phase, message }: { phase: string; message: string }) {
  return (
    <div style={{ minWidth: 120 }}>
      <StatusBadge status={phase} />
      {message && (
        <Text size="xs" mt={4} maw={360} className="soft" lineClamp={2} title={message}>
          {message}
        </Text>
      )}
    </div>
  );
}
