import { placeholders, type Row, type Sql, type SqlDatabase, sqlTime } from '@tiphys/sql';
import type { SyncTables } from './schema.ts';

export interface LockRequest {
  /** As upstream writes it: `sem/NAMESPACE/KEY` or `mtx/NAMESPACE/NAME`. */
  readonly lock: string;
  /** Who wants it: `NAMESPACE/WORKFLOW`, with the node behind it for locks of templates. */
  readonly holder: string;
  readonly limit: number;
  /** Higher goes first. */
  readonly priority: number;
  /** When the workflow was created, in milliseconds: the older goes first. */
  readonly createdAt: number;
}

/** Mutexes and semaphores that several controllers share, in upstream's tables. */
export class SyncLocks {
  readonly #database: SqlDatabase;
  readonly #tables: SyncTables;
  readonly #controller: string;
  /** How long a controller may be silent before what waits for it counts no more; milliseconds. */
  readonly #inactiveAfter: number;

  constructor(database: SqlDatabase, options: { tables: SyncTables; controller: string; inactiveAfter: number }) {
    this.#database = database;
    this.#tables = options.tables;
    this.#controller = options.controller;
    this.#inactiveAfter = options.inactiveAfter;
  }

  /** Says that this controller lives; `now` in milliseconds. */
  async beat(now: number): Promise<void> {
    const { controllers } = this.#tables;
    const time = sqlTime(now);
    const { changed } = await this.#database.query(`update ${controllers} set time = ? where controller = ?`, [
      time,
      this.#controller,
    ]);
    if (changed > 0) return;
    const conflict = this.#database.dialect === 'mysql' ? '' : ' on conflict do nothing';
    const insert = this.#database.dialect === 'mysql' ? 'insert ignore' : 'insert';
    await this.#database.query(`${insert} into ${controllers} (controller, time) values (?, ?)${conflict}`, [
      this.#controller,
      time,
    ]);
  }

  /** Takes the lock if it is free and nobody comes first; else the request waits in line. Gives who holds it now. */
  acquire(request: LockRequest, now: number): Promise<{ held: boolean; holders: readonly string[] }> {
    return this.#database.transaction(async (sql) => {
      await this.#alone(sql, request.lock, now);
      const rows = await this.#states(sql, request.lock, now);
      const held = rows.filter((row) => isTrue(row.held)).map((row) => String(row.workflowkey));
      const mine = rows.find((row) => String(row.workflowkey) === request.holder);
      if (mine && isTrue(mine.held)) return await this.#end(sql, request.lock, { held: true, holders: held });
      if (!mine) await this.#insert(sql, request);
      const first = await this.#first(sql, request, now);
      if (held.length >= request.limit || first !== request.holder)
        return await this.#end(sql, request.lock, { held: false, holders: held });
      await sql.query(
        `update ${this.#tables.states} set held = ?, time = ? where name = ? and workflowkey = ? and controller = ?`,
        [true, sqlTime(now), request.lock, request.holder, this.#controller],
      );
      return await this.#end(sql, request.lock, { held: true, holders: [...held, request.holder] });
    });
  }

  /** Gives back a lock, or a place in line. */
  async release(lock: string, holder: string): Promise<void> {
    await this.#database.query(
      `delete from ${this.#tables.states} where name = ? and workflowkey = ? and controller = ?`,
      [lock, holder, this.#controller],
    );
  }

  /** Everything that a workflow holds or waits for; `holder` is `NAMESPACE/WORKFLOW`. */
  async releaseAll(holder: string): Promise<void> {
    const escaped = holder.replace(/[!%_]/g, '!$&');
    await this.#database.query(
      `delete from ${this.#tables.states} where controller = ? and (workflowkey = ? or workflowkey like ? escape '!')`,
      [this.#controller, holder, `${escaped}/%`],
    );
  }

  /** One transaction at a time decides on a lock: others wait for the row. A row that a dead controller left is taken away. */
  async #alone(sql: Sql, lock: string, now: number): Promise<void> {
    const { locks } = this.#tables;
    await sql.query(`delete from ${locks} where name = ? and time < ?`, [lock, sqlTime(now - this.#inactiveAfter)]);
    await sql.query(`insert into ${locks} (name, controller, time) values (?, ?, ?)`, [
      lock,
      this.#controller,
      sqlTime(now),
    ]);
  }

  async #end<T>(sql: Sql, lock: string, result: T): Promise<T> {
    await sql.query(`delete from ${this.#tables.locks} where name = ? and controller = ?`, [lock, this.#controller]);
    return result;
  }

  async #states(sql: Sql, lock: string, _now: number): Promise<readonly Row[]> {
    const { rows } = await sql.query(
      `select workflowkey, controller, held from ${this.#tables.states} where name = ?`,
      [lock],
    );
    return rows;
  }

  async #insert(sql: Sql, { lock, holder, priority, createdAt }: LockRequest): Promise<void> {
    await sql.query(
      `insert into ${this.#tables.states} (name, workflowkey, controller, held, priority, time) values (${placeholders(6)})`,
      [lock, holder, this.#controller, false, priority, sqlTime(createdAt)],
    );
  }

  /** Who is first in line among those whose controllers live. */
  async #first(sql: Sql, { lock }: LockRequest, now: number): Promise<string | undefined> {
    const { states, controllers } = this.#tables;
    const { rows } = await sql.query(
      `select s.workflowkey from ${states} s where s.name = ? and s.held = ? and (s.controller = ? or exists
         (select 1 from ${controllers} c where c.controller = s.controller and c.time >= ?))
       order by s.priority desc, s.time, s.workflowkey limit 1`,
      [lock, false, this.#controller, sqlTime(now - this.#inactiveAfter)],
    );
    return rows[0] ? String(rows[0].workflowkey) : undefined;
  }
}

/** Drivers give booleans as they like. */
function isTrue(value: Row[string] | undefined): boolean {
  return value === true || value === 1 || value === 't' || value === 'true' || value === '1';
}
