import type { Application, AppProject } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { LookupRequest } from '@tiphys/helm';
import { type KubeObject, keyOf, type ObjectKey } from '@tiphys/kubernetes';
import { objectDenial } from '../projects/projects.ts';
import { applicationKey } from '../spec/application-key.ts';
import type { ClusterHandle } from './cluster-registry.ts';

export const lookupRefused = defineDiagnosis(
  'LookupRefused',
  'A chart looked up an object that the project does not permit; it was told that there is none',
);

/**
 * Answers `lookup` of the charts of an application from its cluster. A chart could print what it reads into an object that its
 * author can see: so it finds only what its project permits, and no Secret of the control plane. As with helm, what does not
 * exist, or has a kind that does not, is not found.
 */
export class ClusterLookup {
  readonly #application: Application;
  readonly #cluster: ClusterHandle;
  readonly #project: AppProject | undefined;
  readonly #controlNamespace: string;
  readonly #refused = new Map<string, Diagnosis>();

  constructor(parts: {
    application: Application;
    cluster: ClusterHandle;
    project: AppProject | undefined;
    controlNamespace: string;
  }) {
    this.#application = parts.application;
    this.#cluster = parts.cluster;
    this.#project = parts.project;
    this.#controlNamespace = parts.controlNamespace;
  }

  /** The object, or with an empty name the list of those that are permitted. */
  async find({ apiVersion, kind, namespace, name }: LookupRequest): Promise<unknown> {
    const type = this.#cluster.cache.find(apiVersion, kind);
    if (!type || (type.namespaced && namespace === '' && name !== '')) return undefined;
    const scope = type.namespaced && namespace !== '' ? { namespace } : {};
    const client = this.#cluster.client.as({
      component: 'controller',
      application: applicationKey(this.#application),
      purpose: 'lookup of a chart',
    });
    if (name !== '') {
      const key = { group: type.group, kind, namespace: scope.namespace ?? '', name };
      const denial = this.#denial(key, type.namespaced);
      if (denial) this.#refuse(key, denial);
      return denial ? undefined : client.find({ apiVersion, kind, ...scope, name });
    }
    const items: KubeObject[] = [];
    let token: string | undefined;
    do {
      const page = await client.list(
        { apiVersion, kind, ...scope },
        { limit: 500, ...(token ? { continue: token } : {}) },
      );
      for (const item of page.items) {
        const object = { ...item, apiVersion, kind };
        if (!this.#denial(keyOf(object), type.namespaced)) items.push(object);
      }
      token = page.metadata.continue || undefined;
    } while (token);
    return { apiVersion, kind: `${kind}List`, metadata: {}, items };
  }

  /** A diagnosis for each object by name that was not given. */
  refusals(): readonly Diagnosis[] {
    return [...this.#refused.values()];
  }

  #denial(key: ObjectKey, namespaced: boolean): string | undefined {
    const { server, name } = this.#cluster;
    if (key.kind === 'Secret' && key.group === '' && key.namespace === this.#controlNamespace)
      return 'charts do not see the Secrets of the control plane';
    if (!this.#project) return 'the project does not exist';
    const namespace = this.#application.spec.destination.namespace ?? '';
    return objectDenial(this.#project, key, namespaced, { server, name, namespace })?.message;
  }

  #refuse({ kind, namespace, name }: ObjectKey, why: string): void {
    const object = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
    this.#refused.set(
      object,
      diagnose(lookupRefused, {
        message: `The chart looked up ${object}, and was told that there is none: ${why}`,
        place: { object },
        remedies: ['Permit the object in the project, or give its content to the chart as values'],
      }),
    );
  }
}
