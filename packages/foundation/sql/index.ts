export { openPostgres } from './postgres.ts';
export {
  type Dialect,
  placeholders,
  type Row,
  type Sql,
  type SqlDatabase,
  type SqlValue,
  sqlTime,
  timeOfColumn,
} from './sql.ts';
export { openSqlite } from './sqlite.ts';
