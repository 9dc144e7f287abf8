import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
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

function runner(database: DatabaseSync): Sql {
  return {
    dialect: 'sqlite',
    async query(statement, values = []) {
      const prepared = database.prepare(statement);
      const bound = values.map((value): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value));
      if (/^\s*(select|with|pragma|explain)\b/i.test(statement))
        return { rows: prepared.all(...bound) as unknown as Row[], changed: 0 };
      return { rows: [], changed: Number(prepared.run(...bound).changes) };
    },
  };
}
