import { createHash } from 'node:crypto';
import { type Client, type Clock, Informer, type KubeObject } from '@tiphys/kubernetes';
import type { ConfigurationKind, ConfigurationReference } from './references.ts';

/** Tells of a copy which object it was made of. */
export const copyOfAnnotation = 'tiphys.dev/copy-of';

/** A ConfigMap or Secret without its values: what is in it is known by a digest alone. */
export interface Configuration extends KubeObject {
  readonly digest: string;
  /** Of a Secret. */
  readonly type?: string;
}

/** ConfigMaps and Secrets of the namespaces where a Rollout asked for versions of them. */
export interface Configurations {
  find(namespace: string, reference: ConfigurationReference): Promise<Configuration | undefined>;
  /** The copies of a namespace, as far as it was asked for. */
  copies(namespace: string): Configuration[];
}

/** A ConfigMap or Secret, reduced to what decisions need. */
export function reduced(object: KubeObject): Configuration {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion, annotations, ownerReferences, deletionTimestamp } = metadata;
  const copyOf = annotations?.[copyOfAnnotation];
  const type = typeof object.type === 'string' ? object.type : undefined;
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ name, namespace, uid, resourceVersion, ownerReferences, deletionTimestamp },
      ...(copyOf === undefined ? {} : { annotations: { [copyOfAnnotation]: copyOf } }),
    } as KubeObject['metadata'],
    digest: digestOf(object),
    ...(type ? { type } : {}),
  };
}

/** The digest of all that pods can read of an object. */
function digestOf({ data, binaryData, type }: KubeObject): string {
  const sorted = (value: unknown) => Object.entries((value ?? {}) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([type ?? '', sorted(data), sorted(binaryData)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}

export interface FollowedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onChange: (namespace: string) => void;
}

/** Follows each kind in a namespace from when it is first asked for. */
export class FollowedConfigurations implements Configurations {
  readonly #options: FollowedOptions;
  readonly #informers = new Map<string, Informer<Configuration>>();

  constructor(options: FollowedOptions) {
    this.#options = options;
  }

  async find(namespace: string, { kind, name }: ConfigurationReference): Promise<Configuration | undefined> {
    const informer = this.#follow(namespace, kind);
    await informer.synced;
    return informer.get(namespace, name);
  }

  copies(namespace: string): Configuration[] {
    return (['ConfigMap', 'Secret'] as const).flatMap((kind) =>
      [...(this.#informers.get(`${namespace}/${kind}`)?.list() ?? [])].filter(
        ({ metadata }) => metadata.annotations?.[copyOfAnnotation] !== undefined,
      ),
    );
  }

  #follow(namespace: string, kind: ConfigurationKind): Informer<Configuration> {
    const key = `${namespace}/${kind}`;
    const known = this.#informers.get(key);
    if (known) return known;
    const { client, clock, signal, onChange } = this.#options;
    const informer = new Informer<Configuration>(client, {
      ref: { apiVersion: 'v1', kind, namespace },
      clock,
      transform: reduced,
    });
    this.#informers.set(key, informer);
    informer.subscribe(() => onChange(namespace));
    informer.start(signal);
    return informer;
  }
}
