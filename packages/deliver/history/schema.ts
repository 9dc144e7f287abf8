import type { SqlDatabase } from '@tiphys/sql';

/** Makes the tables where they are missing. */
export async function makeTables(database: SqlDatabase): Promise<void> {
  const id = database.dialect === 'sqlite' ? 'integer primary key autoincrement' : 'bigserial primary key';
  const reference = database.dialect === 'sqlite' ? 'integer' : 'bigint';
  const statements = [
    `create table if not exists tiphys_history (id ${id}, time text not null, once text not null unique, kind text not null, application text not null, project text not null, namespace text not null, actor text not null, summary text not null, objects text not null, detail text not null)`,
    'create index if not exists tiphys_history_time on tiphys_history (time)',
    'create index if not exists tiphys_history_application on tiphys_history (application, id)',
    `create table if not exists tiphys_history_objects (record ${reference} not null, kind text not null, namespace text not null, name text not null)`,
    'create index if not exists tiphys_history_objects_name on tiphys_history_objects (name, kind)',
    'create index if not exists tiphys_history_objects_namespace on tiphys_history_objects (namespace)',
    'create index if not exists tiphys_history_objects_record on tiphys_history_objects (record)',
  ];
  await database.transaction(async (sql) => {
    // two processes that begin together must not meet in the catalogue
    if (database.dialect === 'postgres') await sql.query('select pg_advisory_xact_lock(7401992)');
    for (const statement of statements) await sql.query(statement);
  });
}
