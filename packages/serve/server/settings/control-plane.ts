import { type Client, type Clock, Informer, isAlreadyExists, isConflict, type KubeObject } from '@tiphys/kubernetes';

export const partOf = { 'app.kubernetes.io/part-of': 'argocd' };
/** Of what is state rather than settings: the controllers watch the settings, and look at every application when one changes. */
const ownState = { 'app.kubernetes.io/managed-by': 'tiphys' };

/** A ConfigMap as it is stored. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** A Secret as it is stored: values are base64. */
export interface Secret extends KubeObject {
  data?: Record<string, string>;
  type?: string;
}

const secretTypeLabel = 'argocd.argoproj.io/secret-type';

/**
 * ConfigMaps and Secrets of the namespace in which the control plane keeps its state. Reads come from copies kept by
 * watches; what this process changed itself is seen by its next read.
 */
export class ControlPlane {
  readonly client: Client;
  readonly namespace: string;
  readonly #configMaps: Informer<ConfigMap>;
  readonly #secrets: Informer<Secret>;
  readonly #named = new WeakMap<object, Readonly<Record<string, string>>>();

  constructor(client: Client, namespace: string, clock: Clock) {
    this.client = client;
    this.namespace = namespace;
    this.#configMaps = new Informer<ConfigMap>(client, {
      ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace },
      clock,
    });
    this.#secrets = new Informer<Secret>(client, { ref: { apiVersion: 'v1', kind: 'Secret', namespace }, clock });
  }

  /** Resolves when the copies are complete. */
  async start(signal: AbortSignal): Promise<void> {
    this.#configMaps.start(signal);
    this.#secrets.start(signal);
    await Promise.all([this.#configMaps.synced, this.#secrets.synced]);
  }

  /** Calls back after each change of a ConfigMap; returns what ends it. */
  subscribe(listener: () => void): () => void {
    return this.#configMaps.subscribe(listener);
  }

  /** Calls back after each change of a Secret; returns what ends it. */
  subscribeSecrets(listener: () => void): () => void {
    return this.#secrets.subscribe(listener);
  }

  /** Data of a ConfigMap; empty if it does not exist. The same object for as long as the ConfigMap is the same. */
  configMap(name: string): Readonly<Record<string, string>> {
    const data = this.#configMaps.get(this.namespace, name)?.data ?? noData;
    const known = this.#named.get(data) ?? named(data);
    this.#named.set(data, known);
    return known;
  }

  /** All ConfigMaps whose name begins so. */
  configMapsNamed(prefix: string): { name: string; data: Record<string, string> }[] {
    return [...this.#configMaps.list()]
      .filter(({ metadata }) => metadata.name?.startsWith(prefix))
      .map(({ metadata, data }) => ({ name: metadata.name as string, data: named(data ?? {}) }));
  }

  /** Data of a Secret, decoded; empty if it does not exist. */
  secret(name: string): Record<string, string> {
    return decodeSecret(this.#secrets.get(this.namespace, name));
  }

  /** Data of a Secret that settings may refer to: argocd-secret, or one that is labelled as part of argocd. */
  referencedSecret(name: string): Record<string, string> | undefined {
    const secret = this.#secrets.get(this.namespace, name);
    const shared = secret?.metadata.labels?.['app.kubernetes.io/part-of'] === 'argocd';
    return secret && (shared || name === 'argocd-secret') ? decodeSecret(secret) : undefined;
  }

  /** All Secrets whose label `argocd.argoproj.io/secret-type` is one of the types, oldest first. */
  secretsOfType(...types: string[]): Secret[] {
    return [...this.#secrets.list()]
      .filter((secret) => types.includes(secret.metadata.labels?.[secretTypeLabel] ?? ''))
      .map((secret) => ({ ...secret, apiVersion: 'v1', kind: 'Secret' }))
      .sort((a, b) => (age(a) < age(b) ? -1 : 1));
  }

  async createSecret(secret: Secret): Promise<void> {
    await this.#settled(this.#secrets, await this.client.create(secret));
  }

  /** Fails with Conflict if the Secret was changed since it was read. */
  async updateSecret(secret: Secret): Promise<void> {
    await this.#settled(this.#secrets, await this.client.update(secret));
  }

  async deleteSecret(name: string): Promise<void> {
    await this.client.delete({ apiVersion: 'v1', kind: 'Secret', namespace: this.namespace, name });
    await waitFor(this.#secrets, () => this.#secrets.get(this.namespace, name) === undefined);
  }

  /**
   * Changes the data of a ConfigMap or Secret under optimistic locking, creating it if it is missing.
   * `change` gets the decoded data as it is stored now and returns it changed, or undefined to leave it.
   */
  async change(
    kind: 'ConfigMap' | 'Secret',
    name: string,
    change: (
      data: Record<string, string>,
    ) => Record<string, string> | undefined | Promise<Record<string, string> | undefined>,
  ): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const found = await this.client.find<Secret>({ apiVersion: 'v1', kind, namespace: this.namespace, name });
      const before = kind === 'Secret' ? decodeSecret(found) : { ...(found?.data ?? {}) };
      const after = await change(before);
      if (after === undefined) return;
      const data = kind === 'Secret' ? encodeSecret(after) : after;
      const labels = name.startsWith('tiphys-') ? ownState : partOf;
      const fresh = { apiVersion: 'v1', kind, metadata: { name, namespace: this.namespace, labels }, data };
      try {
        const stored = found
          ? await this.client.update({ ...found, apiVersion: 'v1', kind, data })
          : await this.client.create(fresh);
        return await this.#settled(kind === 'Secret' ? this.#secrets : this.#configMaps, stored);
      } catch (error) {
        if (attempt >= 10 || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
    }
  }

  /** Waits until the copy has a change that was just made. Before `start` there is nothing to wait for. */
  async #settled(informer: Informer<ConfigMap> | Informer<Secret>, stored: KubeObject): Promise<void> {
    if (!informer.state().synced) return;
    const wanted = Number(stored.metadata.resourceVersion);
    await waitFor(
      informer,
      () =>
        Number(informer.get(this.namespace, stored.metadata.name as string)?.metadata.resourceVersion ?? -1) >= wanted,
    );
  }
}

/** At most two seconds: a watch that is interrupted must not hold up a call. */
async function waitFor(informer: Informer<ConfigMap> | Informer<Secret>, seen: () => boolean): Promise<void> {
  if (seen()) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, 2000);
    const unsubscribe = informer.subscribe(() => {
      if (seen()) finish();
    });
    function finish() {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
  });
}

function age(secret: Secret): string {
  return `${secret.metadata.creationTimestamp ?? ''} ${secret.metadata.name}`;
}

export function decodeSecret(secret: Secret | undefined): Record<string, string> {
  const entries = Object.entries(secret?.data ?? {});
  return named(Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')])));
}

export function encodeSecret(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );
}

const noData: Readonly<Record<string, string>> = {};

/** The same without a prototype: names of users and keys come from outside, and may be those of what every object has. */
function named(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, data);
}
