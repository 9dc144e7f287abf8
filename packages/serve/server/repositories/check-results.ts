import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Diagnosis } from '@tiphys/diagnosis';
import { type Clock, isNotFound, timestamp } from '@tiphys/kubernetes';
import type { ControlPlane } from '../settings/control-plane.ts';

/** What one replica found of one repository. */
export interface ReplicaConnection {
  readonly replica: string;
  readonly node: string;
  readonly status: 'Successful' | 'Failed';
  /** Why it failed; empty otherwise. */
  readonly message: string;
  /** Cause in the catalogue of failures; empty if it did not fail. */
  readonly cause: string;
  /** What is wrong although it does not fail, such as the clock of the node. */
  readonly notices: readonly string[];
  /** The last checks, oldest first: `S` for success, `F` for failure. */
  readonly results: string;
  /** RFC 3339. */
  readonly checkedAt: string;
}

interface Entry extends ReplicaConnection {
  readonly url: string;
  readonly project: string;
  readonly digest: string;
}

type Subject = Pick<Entry, 'url' | 'project' | 'digest'>;

const prefix = 'tiphys-repository-checks-';
const replicaKey = 'replica';
const savedKey = 'saved-at';
/** Checks that are remembered, and how many of them must agree to change what is said. */
const remembered = 3;
const needed = 2;
/** A replica that saved nothing for so many intervals is gone. */
const goneAfter = 3;
/** What is unchanged is written again after this time, in milliseconds, so that others see that we live. */
const refreshed = 300_000;
/** Replicas that saved nothing for so long are not shown, in milliseconds. */
const shownFor = 1_800_000;
const longestMessage = 500;

/** The last results of every replica, one ConfigMap each (`tiphys-repository-checks-…`), which all watch. */
export class CheckResults {
  readonly #plane: ControlPlane;
  readonly #clock: Clock;
  readonly #replica: string;
  readonly #node: string;
  readonly #entries = new Map<string, Entry>();
  #saved: { readonly content: Record<string, string>; readonly at: number } | undefined;

  constructor(options: { plane: ControlPlane; clock: Clock; replica: string; node: string }) {
    this.#plane = options.plane;
    this.#clock = options.clock;
    this.#replica = options.replica;
    this.#node = options.node;
    // what this replica found before a restart still counts
    for (const [key, text] of Object.entries(options.plane.configMap(this.#name))) {
      const entry = parse(text);
      if (entry) this.#entries.set(key, entry);
    }
  }

  /** When this replica checked last with these settings, in milliseconds since the epoch. */
  own(key: string, digest: string): { at: number } | undefined {
    const entry = this.#entries.get(key);
    return entry?.digest === digest ? { at: Date.parse(entry.checkedAt) } : undefined;
  }

  /** The last check contradicts what is said. */
  isDoubtful(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && (entry.results.endsWith('F') ? 'Failed' : 'Successful') !== entry.status;
  }

  /** Something was wrong at the last check, although it did not fail. */
  hasNotices(key: string): boolean {
    return (this.#entries.get(key)?.notices.length ?? 0) > 0;
  }

  add(key: string, subject: Subject, outcome: { error?: Diagnosis; notices: readonly string[] }): void {
    const known = this.#entries.get(key);
    const before = known?.digest === subject.digest ? known : undefined;
    const results = `${before?.results ?? ''}${outcome.error ? 'F' : 'S'}`.slice(-remembered);
    const status = statusOf(results, before?.status);
    const message = outcome.error?.message ?? (status === 'Failed' ? (before?.message ?? '') : '');
    this.#entries.set(key, {
      ...subject,
      replica: this.#replica,
      node: this.#node,
      status,
      message: status === 'Failed' ? message.slice(0, longestMessage) : '',
      cause: status === 'Failed' ? (outcome.error?.cause ?? before?.cause ?? '') : '',
      notices: outcome.notices,
      results,
      checkedAt: timestamp(this.#clock.now()),
    });
  }

  /** Forgets repositories that are not declared any more. */
  keep(keys: readonly string[]): void {
    for (const key of this.#entries.keys()) if (!keys.includes(key)) this.#entries.delete(key);
  }

  /** What all replicas found with these settings, by name. */
  of(key: string, digest: string): ReplicaConnection[] {
    const oldest = this.#clock.now() - shownFor;
    const others = this.#plane
      .configMapsNamed(prefix)
      .filter(({ name, data }) => name !== this.#name && Date.parse(data[savedKey] ?? '') >= oldest)
      .map(({ data }) => parse(data[key]));
    return [this.#entries.get(key), ...others]
      .filter((entry): entry is Entry => entry?.digest === digest)
      .map(({ url: _url, project: _project, digest: _digest, ...connection }) => connection)
      .sort((a, b) => (a.replica < b.replica ? -1 : 1));
  }

  /** Writes down what changed; what did not is written again only from time to time. */
  async save(): Promise<void> {
    const content = Object.fromEntries([...this.#entries].map(([key, entry]) => [key, JSON.stringify(entry)]));
    const news = (text: Record<string, string>) =>
      Object.fromEntries(Object.entries(text).map(([key, value]) => [key, value.replace(/"checkedAt":"[^"]*"/, '')]));
    const now = this.#clock.now();
    const same = this.#saved && isDeepStrictEqual(news(this.#saved.content), news(content));
    if (same && now - (this.#saved?.at ?? 0) < refreshed) return;
    this.#saved = { content, at: now };
    await this.#plane.change('ConfigMap', this.#name, () => ({
      ...content,
      [replicaKey]: this.#replica,
      [savedKey]: timestamp(now),
    }));
  }

  /** Removes what replicas left that are gone. */
  async removeGone(interval: number): Promise<void> {
    const oldest = this.#clock.now() - Math.max(shownFor, goneAfter * interval);
    for (const { name, data } of this.#plane.configMapsNamed(prefix)) {
      if (name === this.#name || !(Date.parse(data[savedKey] ?? '') < oldest)) continue;
      const { client, namespace } = this.#plane;
      try {
        await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  get #name(): string {
    return `${prefix}${createHash('sha256').update(this.#replica).digest('hex').slice(0, 16)}`;
  }
}

/** The first result is believed; after that two of three must agree to change it. */
function statusOf(results: string, before: Entry['status'] | undefined): Entry['status'] {
  const said = results.endsWith('F') ? 'Failed' : 'Successful';
  if (before === undefined || said === before) return said;
  return [...results].filter((result) => result === results.at(-1)).length >= needed ? said : before;
}

function parse(text: string | undefined): Entry | undefined {
  if (!text?.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Entry;
  } catch (error) {
    // what somebody else wrote there is no result of ours
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
