import { type Client, isAlreadyExists, isConflict, type KubeObject } from '@tiphys/kubernetes';

export const partOf = { 'app.kubernetes.io/part-of': 'argocd' };

/** A ConfigMap as it is stored. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** A Secret as it is stored: values are base64. */
export interface Secret extends KubeObject {
  data?: Record<string, string>;
  type?: string;
}

/** Objects of the namespace in which the control plane keeps its state. Every read is the API server's present answer. */
export class ControlPlane {
  readonly client: Client;
  readonly namespace: string;

  constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Data of a ConfigMap; empty if it does not exist. */
  async configMap(name: string): Promise<Record<string, string>> {
    const found = await this.client.find<ConfigMap>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: this.namespace,
      name,
    });
    return found?.data ?? {};
  }

  /** Data of a Secret, decoded; empty if it does not exist. */
  async secret(name: string): Promise<Record<string, string>> {
    const found = await this.client.find<Secret>({ apiVersion: 'v1', kind: 'Secret', namespace: this.namespace, name });
    return decodeSecret(found);
  }

  /** All Secrets with the label `argocd.argoproj.io/secret-type` of one of the types. */
  async secretsOfType(...types: string[]): Promise<Secret[]> {
    const labelSelector = `argocd.argoproj.io/secret-type in (${types.join(',')})`;
    const list = await this.client.list<Secret>(
      { apiVersion: 'v1', kind: 'Secret', namespace: this.namespace },
      { labelSelector },
    );
    return list.items.map((item) => ({ ...item, apiVersion: 'v1', kind: 'Secret' }));
  }

  /**
   * Changes the data of a ConfigMap or Secret under optimistic locking, creating it if it is missing.
   * `change` gets the decoded data and returns it changed, or undefined to leave it.
   */
  async change(
    kind: 'ConfigMap' | 'Secret',
    name: string,
    change: (
      data: Record<string, string>,
    ) => Record<string, string> | undefined | Promise<Record<string, string> | undefined>,
  ): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const ref = { apiVersion: 'v1', kind, namespace: this.namespace, name };
      const found = await this.client.find<Secret>(ref);
      const before = kind === 'Secret' ? decodeSecret(found) : { ...(found?.data ?? {}) };
      const after = await change(before);
      if (after === undefined) return;
      const data = kind === 'Secret' ? encodeSecret(after) : after;
      try {
        if (found) await this.client.update({ ...found, apiVersion: 'v1', kind, data });
        else
          await this.client.create({
            apiVersion: 'v1',
            kind,
            metadata: { name, namespace: this.namespace, labels: partOf },
            data,
          } as KubeObject);
        return;
      } catch (error) {
        if (attempt >= 10 || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
    }
  }
}

export function decodeSecret(secret: Secret | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

export function encodeSecret(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );
}
