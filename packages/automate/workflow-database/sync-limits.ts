import type { SqlDatabase } from '@tiphys/sql';
import type { SyncTables } from './schema.ts';

/** Limits of semaphores that several clusters share, by `NAMESPACE/KEY`. */
export class SyncLimits {
  readonly #database: SqlDatabase;
  readonly #tables: SyncTables;

  constructor(database: SqlDatabase, tables: SyncTables) {
    this.#database = database;
    this.#tables = tables;
  }

  /** Undefined where none is set. */
  async get(name: string): Promise<number | undefined> {
    const { rows } = await this.#database.query(`select sizelimit from ${this.#tables.limits} where name = ?`, [name]);
    return rows[0] ? Number(rows[0].sizelimit) : undefined;
  }

  /** False if there is one. */
  async create(name: string, limit: number): Promise<boolean> {
    if ((await this.get(name)) !== undefined) return false;
    await this.#database.query(`insert into ${this.#tables.limits} (name, sizelimit) values (?, ?)`, [name, limit]);
    return true;
  }

  /** False if there is none. */
  async update(name: string, limit: number): Promise<boolean> {
    if ((await this.get(name)) === undefined) return false;
    await this.#database.query(`update ${this.#tables.limits} set sizelimit = ? where name = ?`, [limit, name]);
    return true;
  }

  async delete(name: string): Promise<boolean> {
    return (await this.#database.query(`delete from ${this.#tables.limits} where name = ?`, [name])).changed > 0;
  }
}
