import { Badge } from '@mantine/core';
import { lookOf } from '../status.ts';

/** A status word with its symbol, so that it does not depend on colour alone. */
export function StatusBadge({ status, size = 'md' }: { status: string | undefined; size?: 'sm' | 'md' | 'lg' }) {
  const { colour, symbol } = lookOf(status);
  return (
    <Badge
      color={colour}
      variant="light"
      size={size}
      tt="none"
      style={{ flexShrink: 0 }}
      leftSection={<span aria-hidden>{symbol}</span>}
    >
      {status ?? 'Unknown'}
    </Badge>
  );
}
