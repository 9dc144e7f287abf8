import { join } from 'node:path';
import { type History, openHistory } from '@tiphys/history';
import { systemClock } from '@tiphys/kubernetes';
import type { Role } from './role.ts';

/**
 * The history of decisions: where TIPHYS_HISTORY says (a PostgreSQL URL, a file, `none`), else a file in the data folder. A server
 * of its own has none without a database that it shares with who delivers.
 */
export async function openUpHistory({
  place,
  role,
  scratch,
  onError,
}: {
  readonly place: string | undefined;
  readonly role: Role | undefined;
  readonly scratch: string;
  readonly onError: (key: string, error: unknown) => void;
}): Promise<History | undefined> {
  if (place === 'none' || (!place && role === 'server')) return undefined;
  return openHistory(place || join(scratch, 'history.db'), {
    now: () => systemClock.now(),
    onError: (error) => onError('history', error),
  });
}
