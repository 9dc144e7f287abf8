import { defineDiagnosis, diagnosisOf, failure } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import type { SqlDatabase } from '@tiphys/sql';
import { openPostgres, openSqlite } from '@tiphys/sql';
import { openMysql } from './mysql.ts';
import type { DatabaseAddress, DatabaseSettings } from './settings.ts';

const databaseUnreachable = defineDiagnosis('WorkflowDatabaseUnreachable', 'The database of workflows does not answer');

export interface OpenDatabase {
  readonly settings: DatabaseSettings;
  /** Reads the Secrets of user and password. */
  readonly client: Client;
  /** Of the Secrets. */
  readonly namespace: string;
  /** File for SQLite where the settings name no server. */
  readonly file: string;
  readonly onError: (error: unknown) => void;
}

/** Connects, and asks once whether the database answers. Throws a diagnosis that names it. */
export async function openDatabase({ settings, client, namespace, file, onError }: OpenDatabase): Promise<SqlDatabase> {
  const { address } = settings;
  if (!address) return openSqlite(file);
  const [user, password] = await Promise.all(
    [address.userNameSecret, address.passwordSecret].map((key) => readSecret(client, namespace, key)),
  );
  const credentials = { user: user as string, password: password as string };
  const database =
    address.kind === 'postgresql'
      ? await openPostgres(
          {
            ...location(address),
            ...credentials,
            ssl: postgresTls(address),
            max: settings.maxConnections,
            connectionTimeoutMillis: settings.connectionTimeout,
            idleTimeoutMillis: 60_000,
          },
          onError,
        )
      : await openMysql({
          ...location(address),
          ...credentials,
          connectionLimit: settings.maxConnections,
          connectTimeout: settings.connectionTimeout,
        });
  try {
    await database.query('select 1 as one');
    return database;
  } catch (error) {
    await database.close();
    throw unreachable(address, error);
  }
}

const location = ({ host, port, database }: DatabaseAddress) => ({ host, port, database });

function postgresTls({ sslMode, host }: DatabaseAddress): false | { rejectUnauthorized: boolean; servername: string } {
  if (!sslMode || sslMode === 'disable' || sslMode === 'allow' || sslMode === 'prefer') return false;
  return { rejectUnauthorized: sslMode.startsWith('verify'), servername: host };
}

async function readSecret(
  client: Client,
  namespace: string,
  { name, key }: { name: string; key: string },
): Promise<string> {
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  const value = ((secret.data ?? {}) as Readonly<Record<string, string>>)[key];
  if (value === undefined)
    throw failure(databaseUnreachable, {
      message: `the Secret ${namespace}/${name} has no key ${key}`,
      place: { object: `Secret ${namespace}/${name}`, field: `data.${key}` },
      remedies: [`Add ${key} to the Secret`],
    });
  return Buffer.from(value, 'base64').toString('utf8');
}

function unreachable({ kind, host, port, database }: DatabaseAddress, error: unknown): Error {
  const own = diagnosisOf(error);
  return failure(
    databaseUnreachable,
    {
      message: `${kind} at ${host}:${port} (database ${database}) does not answer: ${own.message}`,
      place: { remote: `${host}:${port}` },
      evidence: { error: error instanceof Error ? error.message : String(error) },
      remedies: [
        'Look whether the database runs and can be reached from here',
        'Correct host, port, database and the Secrets of user and password in workflow-controller-configmap',
      ],
    },
    { cause: error },
  );
}
