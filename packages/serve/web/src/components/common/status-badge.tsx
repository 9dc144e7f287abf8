import { Badge } from '@mantine/core';
import { lookOf } from '../../applications/status.ts';
import { t } from '../../i18n/texts.ts';

interface StatusBadgeProps {
  status: string | undefined;
  /** Other words for it. */
  words?: string;
  size?: 'sm' | 'md' | 'lg';
}

/** A status word with its symbol, so that it does not depend on colour alone. */
export function StatusBadge({ status, words, size = 'md' }: StatusBadgeProps) {
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
      {words ?? t(status ?? 'Unknown')}
    </Badge>
  );
}
