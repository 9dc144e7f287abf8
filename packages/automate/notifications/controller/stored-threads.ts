import { createHash } from 'node:crypto';
import { type Client, isAlreadyExists, isConflict } from '@tiphys/kubernetes';
import type { Thread, Threads } from '../services/service.ts';

/** So many threads are known, the newest. */
const mostThreads = 500;

/** Threads in a ConfigMap, so that an answer finds its thread after a restart too. */
export class StoredThreads implements Threads {
  readonly #client: Client;
  readonly #ref: { apiVersion: string; kind: string; namespace: string; name: string };

  constructor(client: Client, namespace: string, name: string) {
    this.#client = client;
    this.#ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name };
  }

  async get(recipient: string, group: string): Promise<Thread | undefined> {
    const found = (await this.#read()).data[keyOf(recipient, group)];
    return found === undefined ? undefined : (JSON.parse(found) as Thread);
  }

  async put(recipient: string, group: string, thread: Thread): Promise<void> {
    for (;;) {
      const { data, version } = await this.#read();
      const kept = Object.entries({ ...data, [keyOf(recipient, group)]: JSON.stringify(thread) }).slice(-mostThreads);
      const { name, namespace, apiVersion, kind } = this.#ref;
      const object = {
        apiVersion,
        kind,
        metadata: {
          name,
          namespace,
          labels: { 'app.kubernetes.io/managed-by': 'tiphys' },
          ...(version ? { resourceVersion: version } : {}),
        },
        data: Object.fromEntries(kept),
      };
      try {
        await (version ? this.#client.update(object) : this.#client.create(object));
        return;
      } catch (error) {
        if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      }
    }
  }

  async #read(): Promise<{ data: Record<string, string>; version: string | undefined }> {
    const found = await this.#client.find(this.#ref);
    return { data: (found?.data ?? {}) as Record<string, string>, version: found?.metadata.resourceVersion };
  }
}

const keyOf = (recipient: string, group: string): string =>
  createHash('sha256')
    .update(JSON.stringify([recipient, group]))
    .digest('hex')
    .slice(0, 40);
