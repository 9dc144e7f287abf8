import { names } from '@tiphys/api';
import { type Client, isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { own, partLabel } from './names.ts';
import { parseState, type SelfUpdate } from './state.ts';

/** The state of the last delivery, in a ConfigMap. */
export class StateStore {
  readonly #client: Client;
  readonly #namespace: string;
  #seen: KubeObject | undefined;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** As it is stored now. */
  async read(): Promise<SelfUpdate | undefined> {
    this.#seen = await this.#client.find(this.#ref);
    return stateIn(this.#seen);
  }

  /** Stores the next state of what was read last. Fails with Conflict if somebody else wrote in between. */
  async write(state: SelfUpdate): Promise<void> {
    if (!this.#seen) return await this.begin(state);
    this.#seen = await this.#client.update({ ...this.#seen, data: dataOf(state) }, { fieldManager: 'tiphys' });
  }

  /** Stores the state of a delivery that begins, in the place of the last one. */
  async begin(state: SelfUpdate): Promise<void> {
    // the label lets every process see it with what it watches anyway
    const labels = { [names.labels.partOf]: 'argocd', [partLabel]: 'state' };
    const metadata = { name: own.state, namespace: this.#namespace, labels };
    try {
      this.#seen = await this.#client.create(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: dataOf(state) },
        { fieldManager: 'tiphys' },
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.#seen = await this.#client.patch(
        this.#ref,
        'merge',
        { metadata: { labels }, data: dataOf(state) },
        { fieldManager: 'tiphys' },
      );
    }
  }

  get #ref() {
    return { apiVersion: 'v1', kind: 'ConfigMap', namespace: this.#namespace, name: own.state };
  }
}

/** The state that the ConfigMap holds. */
export function stateIn(configMap: KubeObject | undefined): SelfUpdate | undefined {
  return parseState(((configMap?.data ?? {}) as Record<string, string>).state);
}

function dataOf(state: SelfUpdate): { state: string } {
  return { state: JSON.stringify(state) };
}
