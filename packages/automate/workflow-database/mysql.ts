import type { Row, Sql, SqlDatabase, SqlValue } from '@tiphys/sql';
import type { PoolOptions } from 'mysql2';

interface Queryable {
  query(text: string, values: SqlValue[]): Promise<[unknown, unknown]>;
}

/** Connects to MySQL when the first statement runs. */
export async function openMysql(options: PoolOptions): Promise<SqlDatabase> {
  const { createPool } = await import('mysql2/promise');
  // MariaDB tells of JSON in another way than MySQL: the option means both
  const pool = createPool({ ...options, dateStrings: true, timezone: 'Z', jsonStrings: true });
  return {
    ...runner(pool),
    async transaction(work) {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        const result = await work(runner(connection));
        await connection.commit();
        connection.release();
        return result;
      } catch (error) {
        // a connection in the midst of something is of no use to the next
        connection.destroy();
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

function runner(queryable: unknown): Sql {
  return {
    dialect: 'mysql',
    async query(statement, values = []) {
      const [result] = await (queryable as Queryable).query(statement, [...values]);
      if (Array.isArray(result)) return { rows: result as Row[], changed: 0 };
      return { rows: [], changed: (result as { affectedRows: number }).affectedRows };
    },
  };
}
