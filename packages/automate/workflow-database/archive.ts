import { type flow, workflowNames } from '@tiphys/api';
import { placeholders, type Row, type Sql, type SqlDatabase, sqlTime, timeOfColumn } from '@tiphys/sql';
import { type ArchiveFilter, type Condition, condition, where } from './archive-query.ts';
import { type Cursor, cursorText, far } from './cursor.ts';
import { hasLabelTimes, timeLabels } from './label-times.ts';
import { serverKeys } from './server-plan.ts';
import { sqliteKeys } from './sqlite-plan.ts';
import { tables } from './tables.ts';
import { after, type Keys, placeOf } from './window.ts';

/** PostgreSQL's JSON has no place for this character; upstream writes this in its stead. */
const noCharacter = { json: '\\u0000', stored: 'ARGO_POSTGRES_NULL_REPLACEMENT' } as const;
/** The escape itself, and not the text of one, whose backslash is escaped. */
const escapedNull = /(?<!\\)((?:\\\\)*)\\u0000/g;

export interface ArchiveOptions {
  readonly clusterName: string;
  /** Of the controller that archives; empty for none. */
  readonly instanceId: string;
  /** Only workflows of this namespace. */
  readonly managedNamespace?: string | undefined;
}

export interface ArchivePage {
  /** Metadata, arguments and the short parts of the status; the newest first. */
  readonly items: flow.Workflow[];
  /** Where the next page begins; absent on the last one. A page before it may have few workflows, or none. */
  readonly continue?: string;
}

interface Bounds {
  readonly place: readonly Condition[];
  readonly limit: number;
  readonly skipped: number;
}

/** How many workflows one page has at most. */
const largestPage = 10_000;

const { archive, labels } = tables;

/** Workflows that have ended, in upstream's tables. */
export class WorkflowArchive {
  readonly #database: SqlDatabase;
  readonly #options: ArchiveOptions;

  constructor(database: SqlDatabase, options: ArchiveOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Keeps a workflow, in place of what was kept of it before. */
  async keep(workflow: flow.Workflow): Promise<void> {
    const { clusterName, instanceId } = this.#options;
    const { metadata, status } = workflow;
    const { managedFields, ...plain } = metadata as typeof metadata & { managedFields?: unknown };
    const shown = { ...plain.labels, [workflowNames.labels.archiving]: 'Persisted' };
    const text = this.#stored(JSON.stringify({ ...workflow, metadata: { ...plain, labels: shown } }));
    const uid = metadata.uid ?? '';
    await this.#database.transaction(async (sql) => {
      await sql.query(`delete from ${archive} where clustername = ? and uid = ?`, [clusterName, uid]);
      await sql.query(
        `insert into ${archive} (clustername, instanceid, uid, name, namespace, phase, startedat, finishedat, creationtimestamp, workflow)
         values (${placeholders(10)})`,
        [
          clusterName,
          instanceId,
          uid,
          metadata.name ?? '',
          metadata.namespace ?? '',
          status?.phase ?? '',
          sqlTime(status?.startedAt),
          sqlTime(status?.finishedAt),
          sqlTime(metadata.creationTimestamp),
          text,
        ],
      );
      const startedAt = (await hasLabelTimes(sql)) ? sqlTime(status?.startedAt) : undefined;
      await insertLabels(sql, { clusterName, uid, labels: shown, startedAt });
    });
  }

  /** Makes lists by label fast for workflows that upstream's controller archived; says how many labels that were. */
  timeLabels(): Promise<number> {
    return timeLabels(this.#database, this.#options.clusterName);
  }

  /**
   * One page, from the newest on. `limit` 0 gives as many as a page holds. Where few of very many workflows fit and no index leads to them, it
   * ends after those that one page looks at (`mostLooked`), with `continue`.
   */
  async list(filter: ArchiveFilter, page: { limit?: number; cursor: Cursor }): Promise<ArchivePage> {
    const limit = Math.min(page.limit || largestPage, largestPage);
    const { cursor } = page;
    const place = cursor.after ? after(cursor.after) : [];
    const skipped = cursor.after ? 0 : cursor.offset;
    const bounds = { place, limit, skipped };
    let keys = await this.#keys(filter, { ...bounds, isBounded: true });
    let rows = await this.#rows(keys, bounds);
    if (rows.length === 0 && skipped > 0 && keys.end) {
      // a number that was given out for another list: those before are looked for, however far they are
      keys = await this.#keys(filter, { ...bounds, isBounded: false });
      rows = await this.#rows(keys, bounds);
    }
    const shown = rows.slice(0, limit);
    const items = shown.map((row) => this.#summary(row));
    const offset = cursor.offset + shown.length;
    const last = shown.at(-1);
    if (rows.length > limit && last) {
      const isNumber = offset < far && !cursor.after;
      return { items, continue: cursorText({ offset, ...(isNumber ? {} : { after: placeOf(last) }) }) };
    }
    return keys.end ? { items, continue: cursorText({ offset, after: keys.end }) } : { items };
  }

  /** The rows of a page and the one behind them; the documents are read of those alone that are shown. */
  async #rows({ text, values }: Keys, { limit, skipped }: Bounds): Promise<readonly Row[]> {
    // a left join, though each is there: a server that knows nothing of the tables yet would make the page anew for each archived workflow
    const { rows } = await this.#database.query(
      `select name, namespace, ${archive}.uid as uid, phase, ${archive}.startedat as startedat, finishedat, creationtimestamp, ${this.#parts()}
       from (${text} limit ${limit + 1} offset ${skipped}) page
       left join ${archive} on ${archive}.clustername = ? and ${archive}.uid = page.uid
       order by ${archive}.startedat desc, ${archive}.uid desc`,
      [...values, this.#options.clusterName],
    );
    return rows;
  }

  /** The statement for uids of a page, without its bounds. */
  #keys(filter: ArchiveFilter, { place, limit, skipped, isBounded }: Bounds & { isBounded: boolean }): Promise<Keys> {
    const wanted = { own: this.#own(), clusterName: this.#options.clusterName, filter, place, isBounded };
    return this.#database.dialect === 'sqlite'
      ? sqliteKeys(this.#database, wanted)
      : serverKeys(this.#database, wanted, limit + 1 + skipped);
  }

  /** The whole workflow by its uid, or the last one of a name; undefined if there is none. */
  async find(wanted: { uid?: string; namespace?: string; name?: string }): Promise<flow.Workflow | undefined> {
    const own = wanted.uid
      ? [condition('uid = ?', wanted.uid)]
      : [condition('namespace = ?', wanted.namespace ?? ''), condition('name = ?', wanted.name ?? '')];
    const { text, values } = where([...this.#own(), ...own]);
    const { rows } = await this.#database.query(
      `select workflow from ${archive}${text} order by startedat desc, uid desc limit 1`,
      values,
    );
    const found = rows[0]?.workflow;
    if (typeof found !== 'string') return undefined;
    const json = this.#database.dialect === 'postgres' ? found.replaceAll(noCharacter.stored, noCharacter.json) : found;
    const workflow = JSON.parse(json) as flow.Workflow;
    const marked = { ...workflow.metadata.labels, [workflowNames.labels.archiving]: 'Persisted' };
    return { ...workflow, metadata: { ...workflow.metadata, labels: marked } };
  }

  /** False if there was none. */
  async delete(uid: string): Promise<boolean> {
    const { text, values } = where([...this.#own(), condition('uid = ?', uid)]);
    return (await this.#database.query(`delete from ${archive}${text}`, values)).changed > 0;
  }

  /** Forgets what ended before a time, in milliseconds; says how many that were. */
  async forgetBefore(time: number): Promise<number> {
    const { text, values } = where([...this.#own(), condition('finishedat < ?', sqlTime(time))]);
    return (await this.#database.query(`delete from ${archive}${text}`, values)).changed;
  }

  /** Keys of the labels of those workflows alone that `list` gives. */
  async labelKeys(): Promise<string[]> {
    return this.#distinct('name', []);
  }

  /** Values of a label on those workflows alone that `list` gives. */
  async labelValues(key: string): Promise<string[]> {
    return this.#distinct('value', [condition('name = ?', key)]);
  }

  /**
   * What a column of labels has, on workflows of ours: a database may be shared by servers that show other namespaces and instances. Goes
   * from each to the next one in an index: most rows have what others have. MySQL does that by itself, and bounds such a recursion.
   */
  async #distinct(column: 'name' | 'value', given: readonly Condition[]): Promise<string[]> {
    const cluster = condition('clustername = ?', this.#options.clusterName);
    const own = where(this.#own());
    const ours = condition(`uid in (select uid from ${archive}${own.text})`, ...own.values);
    if (this.#database.dialect === 'mysql') {
      const { text, values } = where([cluster, ...given, ours]);
      const { rows } = await this.#database.query(
        `select distinct ${column} as found from ${labels}${text} order by found limit ${largestPage}`,
        values,
      );
      return rows.map(({ found }) => String(found));
    }
    const all = where([cluster, ...given]);
    const one = where([condition('uid = l.uid'), ...this.#own()]);
    const { rows } = await this.#database.query(
      `with recursive known(found) as (
         select min(${column}) from ${labels}${all.text}
         union all
         select (select min(${column}) from ${labels}${all.text} and ${column} > known.found) from known where known.found is not null)
       select found from known where found is not null and exists (
         select 1 from ${labels} l${all.text} and ${column} = known.found and exists (select 1 from ${archive}${one.text}))
       limit ${largestPage}`,
      [...all.values, ...all.values, ...all.values, ...one.values],
    );
    return rows.map(({ found }) => String(found)).sort();
  }

  #own(): Condition[] {
    const { clusterName, instanceId, managedNamespace } = this.#options;
    return [
      condition('clustername = ?', clusterName),
      condition('instanceid = ?', instanceId),
      ...(managedNamespace ? [condition('namespace = ?', managedNamespace)] : []),
    ];
  }

  #stored(json: string): string {
    return this.#database.dialect === 'postgres' ? json.replace(escapedNull, `$1${noCharacter.stored}`) : json;
  }

  /** What a list shows of a workflow, as a column of JSON for each. */
  #parts(): string {
    const wanted: [string, readonly string[]][] = [
      ['labels', ['metadata', 'labels']],
      ['annotations', ['metadata', 'annotations']],
      ['suspend', ['spec', 'suspend']],
      ['arguments', ['spec', 'arguments']],
      ['message', ['status', 'message']],
      ['progress', ['status', 'progress']],
      ['estimated', ['status', 'estimatedDuration']],
      ['resources', ['status', 'resourcesDuration']],
    ];
    return wanted
      .map(([name, path]) =>
        this.#database.dialect === 'postgres'
          ? `workflow #> '{${path.join(',')}}' as ${name}`
          : this.#database.dialect === 'mysql'
            ? `json_extract(workflow, '$.${path.join('.')}') as ${name}`
            : `workflow -> '$.${path.join('.')}' as ${name}`,
      )
      .join(', ');
  }

  #summary(row: Row): flow.Workflow {
    const json = (column: string): unknown => {
      const value = row[column];
      return typeof value === 'string' ? JSON.parse(value) : undefined;
    };
    const given = {
      annotations: json('annotations'),
      creationTimestamp: timeOfColumn(row.creationtimestamp),
      labels: { ...(json('labels') as object | undefined), [workflowNames.labels.archiving]: 'Persisted' },
    };
    const status = {
      phase: String(row.phase),
      startedAt: timeOfColumn(row.startedat) ?? null,
      finishedAt: timeOfColumn(row.finishedat) ?? null,
      progress: json('progress'),
      message: json('message'),
      estimatedDuration: json('estimated'),
      resourcesDuration: json('resources'),
    };
    return {
      metadata: { name: String(row.name), namespace: String(row.namespace), uid: String(row.uid), ...defined(given) },
      spec: defined({ suspend: json('suspend'), arguments: json('arguments') ?? {} }),
      status: defined(status),
    } as unknown as flow.Workflow;
  }
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

async function insertLabels(
  sql: Sql,
  {
    clusterName,
    uid,
    labels: given,
    startedAt,
  }: { clusterName: string; uid: string; labels: Readonly<Record<string, string>>; startedAt: string | undefined },
): Promise<void> {
  const entries = Object.entries(given);
  if (entries.length === 0) return;
  const times = startedAt === undefined ? [] : [startedAt];
  const rows = entries.map(() => `(${placeholders(4 + times.length)})`).join(', ');
  await sql.query(
    `insert into ${labels} (clustername, uid, name, value${times.length > 0 ? ', startedat' : ''}) values ${rows}`,
    entries.flatMap(([name, value]) => [clusterName, uid, name, value, ...times]),
  );
}
