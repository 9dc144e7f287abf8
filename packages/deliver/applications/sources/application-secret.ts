import { createHash } from 'node:crypto';
import { type Application, names } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { applicationKey } from '../spec/application-key.ts';

/** Annotation of these Secrets: key of the Application. */
export const applicationAnnotation = 'tiphys.dev/application';
const uidAnnotation = 'tiphys.dev/application-uid';
/** What Kubernetes allows a name to have. */
const maxName = 253;

interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * Secrets of one kind in the namespace of the control plane, one for each application that has something to keep. An application of
 * the control plane's namespace owns its own, so that the garbage collector removes it; others are removed by who made them.
 */
export class ApplicationSecrets {
  readonly #namespace: string;
  readonly #prefix: string;
  readonly #label: string;

  constructor({ namespace, prefix, label }: { namespace: string; prefix: string; label: string }) {
    this.#namespace = namespace;
    this.#prefix = prefix;
    this.#label = label;
  }

  /** Of the application's name as long as it fits; applications of other namespaces cannot meet one of the control plane's. */
  nameOf({ namespace = '', name = '' }: ObjectName): string {
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    // A dot is in no hash, and a hash is no name of ours.
    if (namespace !== this.#namespace) return `${this.#prefix}${hash(`${namespace}/${name}`)}.other`;
    const plain = `${this.#prefix}${name}`;
    return plain.length <= maxName ? plain : `${this.#prefix}${hash(name)}`;
  }

  ref(application: ObjectName) {
    return { apiVersion: 'v1', kind: 'Secret', namespace: this.#namespace, name: this.nameOf(application) };
  }

  /** Whether an object is one of these Secrets. */
  holds({ kind, namespace, name }: { kind: string; namespace: string; name: string }): boolean {
    return kind === 'Secret' && namespace === this.#namespace && name.startsWith(this.#prefix);
  }

  /** The Secret of an application, with the data in base64. */
  make(application: Application, data: Readonly<Record<string, string>>): KubeObject {
    const { apiVersion, kind, metadata } = application;
    const uid = metadata.uid ?? '';
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: this.nameOf(metadata),
        namespace: this.#namespace,
        labels: { [names.labels.partOf]: 'argocd', [this.#label]: 'true' },
        annotations: { [applicationAnnotation]: applicationKey(application), [uidAnnotation]: uid },
        // The garbage collector deletes what is owned from another namespace.
        ...(metadata.namespace === this.#namespace
          ? { ownerReferences: [{ apiVersion, kind, name: metadata.name ?? '', uid }] }
          : {}),
      },
      type: this.#label,
      data,
    };
  }
}

/** Whether the Secret is this application's, and not that of a deleted one of the same name. */
export function isOf({ metadata }: KubeObject, application: Application): boolean {
  const uid = metadata.annotations?.[uidAnnotation] ?? metadata.ownerReferences?.[0]?.uid;
  return uid === application.metadata.uid;
}
