import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { privateDatabase } from '@tiphys/files';
import type { Row, Sql, SqlDatabase } from './sql.ts';

/** The database of a file that its owner alone may read, or of memory with `:memory:`. Of this process alone. */
export async function openSqlite(file: string): Promise<SqlDatabase> {
  const { DatabaseSync } = await import('node:sqlite');
  if (file !== ':memory:') privateDatabase(file);
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma foreign_keys = on; pragma synchronous = normal');
  const sql = runner(database);
  let turn: Promise<unknown> = Promise.resolve();
  // one connection: a statement of others must not get into a transaction
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  return {
    dialect: 'sqlite',
    query: (statement, values) => inTurn(() => sql.query(statement, values)),
    transaction: (work) =>
      inTurn(async () => {
        database.exec('begin immediate');
        try {
          const result = await work(sql);
          database.exec('commit');
          return result;
        } catch (error) {
          database.exec('rollback');
          throw error;
        }
      }),
    close: () => inTurn(async () => database.close()),
  };
}

/** Statements that stay prepared: preparing one costs more than most of them take to run. */
const maxPrepared = 128;

function runner(database: DatabaseSync): Sql {
  /** Least recently used first. */
  const prepared = new Map<string, StatementSync>();
  const prepare = (statement: string): StatementSync => {
    const ready = prepared.get(statement) ?? database.prepare(statement);
    prepared.delete(statement);
    prepared.set(statement, ready);
    if (prepared.size > maxPrepared) prepared.delete(prepared.keys().next().value ?? '');
    return ready;
  };
  return {
    dialect: 'sqlite',
    async query(statement, values = []) {
      const ready = prepare(statement);
      const bound = values.map((value): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value));
      if (ready.columns().length > 0) return { rows: ready.all(...bound) as unknown as Row[], changed: 0 };
      return { rows: [], changed: Number(ready.run(...bound).changes) };
    },
  };
}
