import type { PoolConfig } from 'pg';
import type { Row, Sql, SqlDatabase, SqlValue } from './sql.ts';

interface Queryable {
  query(text: string, values: SqlValue[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** Connects to PostgreSQL when the first statement runs. */
export async function openPostgres(options: PoolConfig, onError: (error: unknown) => void): Promise<SqlDatabase> {
  const { default: pg } = await import('pg');
  const asText = { getTypeParser: () => (text: string) => text };
  const pool = new pg.Pool({ ...options, types: asText as never });
  // a connection that breaks while nobody uses it
  pool.on('error', onError);
  return {
    ...runner(pool),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await work(runner(client));
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        await client.query('rollback').catch((failure: unknown) => onError(failure));
        client.release(true);
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

function runner(queryable: unknown): Sql {
  return {
    dialect: 'postgres',
    async query(statement, values = []) {
      const { rows, rowCount } = await (queryable as Queryable).query(numbered(statement), [...values]);
      return { rows: rows as Row[], changed: rowCount ?? 0 };
    },
  };
}

function numbered(statement: string): string {
  let count = 0;
  return statement.replaceAll('?', () => `$${++count}`);
}
