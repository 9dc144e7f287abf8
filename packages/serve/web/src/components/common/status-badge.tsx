import { lookOf } from '../../applications/status.ts';
import { t } from '../../i18n/texts.ts';

interface StatusBadgeProps {
  status: string | undefined;
  /** Other words for it. */
  words?: string;
  size?: 'sm' | 'md' | 'lg';
}

/** A status word with its symbol, so that it does not depend on colour alone. Lists have thousands: it is plain markup. */
export function StatusBadge({ status, words, size = 'md' }: StatusBadgeProps) {
  const { colour, symbol } = lookOf(status);
  return (
    <span className="status" data-size={size} data-colour={colour}>
      <span aria-hidden>{symbol}</span> {words ?? t(status ?? 'Unknown')}
    </span>
  );
}
