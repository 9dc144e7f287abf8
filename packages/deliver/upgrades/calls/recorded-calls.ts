import { type Client, type Clock, isAlreadyExists, isConflict, type KubeObject } from '@tiphys/kubernetes';
import type { ApiUse } from '../find/finding.ts';
import { apiVersionOf } from '../knowledge/api-life.ts';
import type { AuditCall } from './audit-events.ts';
import { countCalls } from './callers.ts';

const name = 'tiphys-api-calls';
const key = 'calls.json';
/** What one ConfigMap holds; of more callers those that were seen last are kept. */
const most = 500;
/** How long counts may stay in memory, in milliseconds; a caller that is new is written at once. */
const lazily = 60_000;

/**
 * Calls of ending APIs that the API server's audit webhook told of, kept in the ConfigMap `tiphys-api-calls`. Of one batch that is told
 * twice, as the API server does after a failure, the counts grow twice: they are a measure, not a bill.
 */
export class RecordedCalls {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #clock: Clock;
  #waiting: ApiUse[] = [];
  readonly #written = new Set<string>();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor({ client, namespace, clock }: { client: Client; namespace: string; clock: Clock }) {
    this.#client = client;
    this.#namespace = namespace;
    this.#clock = clock;
  }

  /** Takes calls of a cluster up, of the control plane's own without its URL; resolves when those of callers that are new are stored. */
  async record(calls: readonly AuditCall[], cluster?: string): Promise<void> {
    if (calls.length === 0) return;
    this.#waiting = merged(
      this.#waiting,
      countCalls(calls).map((use) => ({ ...use, ...(cluster ? { cluster } : {}) })),
    );
    const isNew = this.#waiting.some((use) => !this.#written.has(callerKey(use)));
    if (isNew || this.#clock.now() - this.#writtenAt >= lazily) await this.#write();
  }

  /** Everything that is known of a cluster: what is stored, and what this process holds still. */
  async list(cluster?: string): Promise<ApiUse[]> {
    return merged(usesIn(await this.#find()), this.#waiting).filter((use) => use.cluster === cluster);
  }

  #find(): Promise<KubeObject | undefined> {
    return this.#client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: this.#namespace, name });
  }

  async #write(): Promise<void> {
    const added = this.#waiting;
    this.#waiting = [];
    try {
      await this.#store(added);
    } catch (error) {
      this.#waiting = merged(added, this.#waiting);
      throw error;
    }
    for (const use of added) this.#written.add(callerKey(use));
    this.#writtenAt = this.#clock.now();
  }

  async #store(added: readonly ApiUse[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const existing = await this.#find();
      const uses = merged(usesIn(existing), added)
        .sort((a, b) => ((a.at ?? '') > (b.at ?? '') ? -1 : 1))
        .slice(0, most);
      const data = { [key]: JSON.stringify(uses) };
      try {
        if (existing) await this.#client.update({ ...existing, data }, { fieldManager: 'tiphys' });
        else
          await this.#client.create(
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: this.#namespace }, data },
            { fieldManager: 'tiphys' },
          );
        return;
      } catch (error) {
        if (attempt === 5 || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
    }
  }
}

function usesIn(object: KubeObject | undefined): ApiUse[] {
  const text = ((object?.data ?? {}) as Record<string, string>)[key];
  if (!text) return [];
  try {
    return JSON.parse(text) as ApiUse[];
  } catch {
    // somebody wrote something else there: it is made anew
    return [];
  }
}

function callerKey({ api, caller, cluster }: ApiUse): string {
  return JSON.stringify([apiVersionOf(api), api.kind, caller?.user, caller?.userAgent, cluster]);
}

function merged(known: readonly ApiUse[], added: readonly ApiUse[]): ApiUse[] {
  const all = new Map(known.map((use) => [callerKey(use), use]));
  for (const use of added) {
    const before = all.get(callerKey(use))?.caller;
    const { caller } = use;
    if (!before || !caller) {
      all.set(callerKey(use), use);
      continue;
    }
    const [first = '', ...later] = [before.first, before.last, caller.first, caller.last].filter(Boolean).sort();
    const last = later.at(-1) ?? first;
    all.set(callerKey(use), {
      ...use,
      at: last,
      caller: {
        ...caller,
        verbs: [...new Set([...before.verbs, ...caller.verbs])].sort(),
        count: before.count + caller.count,
        first,
        last,
      },
    });
  }
  return [...all.values()];
}
