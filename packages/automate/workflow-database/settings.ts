import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { SyncTables } from './schema.ts';

const persistenceInvalid = defineDiagnosis(
  'WorkflowPersistenceInvalid',
  'The database of workflow-controller-configmap cannot be used as it is written',
);

interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** Where a server of PostgreSQL or MySQL is; fields as upstream's. */
export interface DatabaseAddress {
  readonly kind: 'postgresql' | 'mysql';
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly userNameSecret: SecretKey;
  readonly passwordSecret: SecretKey;
  /** As `sslmode` of PostgreSQL; `disable` if absent. */
  readonly sslMode?: string;
}

export interface DatabaseSettings {
  /** Absent: SQLite in a file of this process. */
  readonly address?: DatabaseAddress;
  readonly maxConnections: number;
  /** Milliseconds. */
  readonly connectionTimeout: number;
}

/** `persistence` of workflow-controller-configmap. */
export interface PersistenceSettings extends DatabaseSettings {
  readonly clusterName: string;
  readonly tableName: string;
  readonly archives: boolean;
  readonly offloads: boolean;
  /** As upstream writes it, such as `180d`; empty to keep for ever. */
  readonly archiveTtl: string;
  readonly archiveLabelSelector?: object;
  readonly skipMigration: boolean;
}

/** `synchronization` of the same. */
export interface SynchronizationSettings extends DatabaseSettings {
  readonly controllerName: string;
  readonly enableApi: boolean;
  readonly tables: SyncTables;
  /** How long a controller may be silent before it counts as gone; milliseconds. */
  readonly inactiveAfter: number;
  /** How often this controller says that it lives; milliseconds. */
  readonly heartbeat: number;
  /** How often to look whether a lock is free that is waited for; milliseconds. */
  readonly pollInterval: number;
  readonly skipMigration: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const table = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** Reads `persistence`. Throws a diagnosis that names the field. */
export function persistenceSettings(json: Json): PersistenceSettings {
  const own = object(json.postgresql) ?? object(json.mysql) ?? {};
  const selector = object(json.archiveLabelSelector);
  return {
    ...databaseSettings(json, 'persistence'),
    clusterName: text(json.clusterName) || 'default',
    tableName: tableName(own.tableName, 'argo_workflows', 'persistence'),
    archives: json.archive === true,
    offloads: json.nodeStatusOffLoad === true,
    archiveTtl: text(json.archiveTTL),
    ...(selector ? { archiveLabelSelector: selector } : {}),
    skipMigration: json.skipMigration === true,
  };
}

/** Reads `synchronization`. Throws a diagnosis that names the field. */
export function synchronizationSettings(json: Json): SynchronizationSettings {
  const named = (field: string, usual: string) => tableName(json[field], usual, 'synchronization');
  return {
    ...databaseSettings(json, 'synchronization'),
    controllerName: text(json.controllerName),
    enableApi: json.enableAPI === true,
    tables: {
      limits: named('limitTableName', 'sync_limit'),
      states: named('stateTableName', 'sync_state'),
      controllers: named('controllerTableName', 'sync_controller'),
      locks: named('lockTableName', 'sync_lock'),
    },
    inactiveAfter: (Number(json.inactiveControllerSeconds) || 600) * 1000,
    heartbeat: (Number(json.heartbeatSeconds) || 60) * 1000,
    pollInterval: (Number(json.pollSeconds) || 10) * 1000,
    skipMigration: json.skipMigration === true,
  };
}

function databaseSettings(json: Json, field: string): DatabaseSettings {
  const kind = json.postgresql ? 'postgresql' : json.mysql ? 'mysql' : undefined;
  const pool = object(json.connectionPool) ?? {};
  return {
    ...(kind ? { address: address(kind, object(json[kind]) ?? {}, field) } : {}),
    maxConnections: Number(pool.maxOpenConns) || 10,
    connectionTimeout: (Number(json.connectionTimeoutSeconds) || 5) * 1000,
  };
}

function address(kind: DatabaseAddress['kind'], json: Json, field: string): DatabaseAddress {
  for (const cloud of ['azureToken', 'awsRDSToken'])
    if (object(json[cloud])?.enabled === true)
      throw invalid(
        `${field}.${kind}.${cloud}`,
        'tokens of clouds in place of a password are not supported',
        'Set passwordSecret',
      );
  const host = text(json.host);
  const database = text(json.database);
  if (!host) throw invalid(`${field}.${kind}.host`, 'the host is missing', 'Set it to the name of the database server');
  if (!database) throw invalid(`${field}.${kind}.database`, 'the database is missing', 'Set its name');
  const sslMode = text(json.sslMode) || (json.ssl === true ? 'require' : '');
  return {
    kind,
    host,
    port: Number(json.port) || (kind === 'mysql' ? 3306 : 5432),
    database,
    userNameSecret: secret(json.userNameSecret, `${field}.${kind}.userNameSecret`),
    passwordSecret: secret(json.passwordSecret, `${field}.${kind}.passwordSecret`),
    ...(sslMode ? { sslMode } : {}),
  };
}

function secret(value: unknown, field: string): SecretKey {
  const { name, key } = object(value) ?? {};
  if (!text(name) || !text(key)) throw invalid(field, 'name and key of a Secret are missing', 'Set both');
  return { name: text(name), key: text(key) };
}

function tableName(value: unknown, usual: string, field: string): string {
  const name = text(value) || usual;
  if (!table.test(name))
    throw invalid(field, `"${name}" cannot be the name of a table`, 'Use letters, digits and underscores, at most 63');
  return name;
}

function invalid(field: string, message: string, remedy: string): Error {
  return failure(persistenceInvalid, {
    message: `${field}: ${message}`,
    place: { object: 'ConfigMap workflow-controller-configmap', field },
    remedies: [remedy],
  });
}

function object(value: unknown): Json | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
