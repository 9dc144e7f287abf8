import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { openPostgres, openSqlite } from '@tiphys/sql';
import { History } from './history.ts';

const historyUnavailable = defineDiagnosis(
  'HistoryUnavailable',
  'The database that keeps the history of decisions is not one, or does not answer',
);

/** Records that are kept, and for how long in milliseconds. */
const bounds = { maxRecords: 200_000, maxAge: 90 * 24 * 3_600_000 };

/**
 * Opens what keeps the history: `postgresql://user:password@host/database`, or a file for SQLite (`:memory:` forgets it). Throws a
 * diagnosis if it does not answer; it never holds the password.
 */
export async function openHistory(
  place: string,
  options: { readonly now: () => number; readonly onError: (error: unknown) => void },
): Promise<History> {
  const isServer = /^postgres(?:ql)?:\/\//.test(place);
  const shown = isServer ? hostOf(place) : place;
  if (!isServer && /^[a-z0-9+]+:\/\//i.test(place))
    throw unavailable(shownScheme(place), 'this is no database that is known');
  try {
    const database = isServer
      ? await openPostgres({ connectionString: place, max: 4, connectionTimeoutMillis: 10_000 }, options.onError)
      : await openSqlite(place);
    return await History.open(database, { ...bounds, ...options });
  } catch (error) {
    throw unavailable(shown, (error as Error).message);
  }
}

function hostOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'a URL that cannot be read';
  }
}

function shownScheme(place: string): string {
  return place.slice(0, place.indexOf(':'));
}

function unavailable(shown: string, why: string) {
  return failure(historyUnavailable, {
    message: `The history cannot be kept in ${shown}: ${why}`,
    place: { remote: shown },
    remedies: [{ text: 'Name a database', paste: 'TIPHYS_HISTORY=postgresql://user:password@host/tiphys' }],
  });
}
