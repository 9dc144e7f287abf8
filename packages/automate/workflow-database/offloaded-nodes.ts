import type { flow } from '@tiphys/api';
import { placeholders, type SqlDatabase, sqlTime } from '@tiphys/sql';
import { condition } from './archive-query.ts';

type Nodes = Readonly<Record<string, flow.NodeStatus>>;

/** What names one state of a workflow's nodes. */
export interface NodesVersion {
  readonly uid: string;
  readonly version: string;
}

/** Nodes of workflows that are too large for the API server, in upstream's table. A version is never changed. */
export class OffloadedNodes {
  readonly #database: SqlDatabase;
  readonly #table: string;
  readonly #clusterName: string;

  constructor(database: SqlDatabase, options: { table: string; clusterName: string }) {
    this.#database = database;
    this.#table = options.table;
    this.#clusterName = options.clusterName;
  }

  /** Keeps the nodes, and gives the version for `status.offloadNodeStatusVersion`. `now` in milliseconds. */
  async save(workflow: { uid: string; namespace: string }, nodes: Nodes, now: number): Promise<string> {
    const text = JSON.stringify(nodes);
    const version = `fnv:${fnv32(text)}`;
    const ignore = this.#database.dialect === 'mysql' ? 'insert ignore' : 'insert';
    const conflict = this.#database.dialect === 'mysql' ? '' : ' on conflict do nothing';
    await this.#database.query(
      `${ignore} into ${this.#table} (clustername, uid, version, namespace, nodes, updatedat) values (${placeholders(6)})${conflict}`,
      [this.#clusterName, workflow.uid, version, workflow.namespace, text, sqlTime(now)],
    );
    return version;
  }

  /** Undefined where they were deleted. */
  async load({ uid, version }: NodesVersion): Promise<Nodes | undefined> {
    const { rows } = await this.#database.query(
      `select nodes from ${this.#table} where clustername = ? and uid = ? and version = ?`,
      [this.#clusterName, uid, version],
    );
    return typeof rows[0]?.nodes === 'string' ? (JSON.parse(rows[0].nodes) as Nodes) : undefined;
  }

  /** Versions that were saved before a time, in milliseconds; at most 1,000, the oldest first. */
  async savedBefore(time: number, namespace?: string): Promise<NodesVersion[]> {
    const own = namespace ? condition(' and namespace = ?', namespace) : condition('');
    const { rows } = await this.#database.query(
      `select uid, version from ${this.#table} where clustername = ?${own.text} and updatedat < ? order by updatedat limit 1000`,
      [this.#clusterName, ...own.values, sqlTime(time)],
    );
    return rows.map(({ uid, version }) => ({ uid: String(uid), version: String(version) }));
  }

  async delete({ uid, version }: NodesVersion): Promise<void> {
    await this.#database.query(`delete from ${this.#table} where clustername = ? and uid = ? and version = ?`, [
      this.#clusterName,
      uid,
      version,
    ]);
  }
}

/** FNV-1, 32 bits, over the UTF-8 bytes of a text, as upstream names versions. */
function fnv32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
}
