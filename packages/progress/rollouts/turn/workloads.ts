import type { LabelSelector, PodTemplate, Rollout, WorkloadRef } from '@tiphys/api';
import { rolloutNames } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, type Clock, Informer, type KubeObject, parseApiVersion } from '@tiphys/kubernetes';
import { hasTemplateMetadata } from '../validate/validate-spec.ts';

const workloadRefInvalid = defineDiagnosis(
  'WorkloadRefInvalid',
  'The workload whose template a Rollout borrows cannot be used',
);

/** Where the template and the selector of the kinds are that a Rollout can borrow from. */
const kinds: Readonly<
  Record<string, { template: (object: KubeObject) => unknown; selector: (object: KubeObject) => unknown }>
> = {
  '/PodTemplate': { template: ({ template }) => template, selector: () => undefined },
  'apps/Deployment': { template: specOf('template'), selector: specOf('selector') },
  'apps/StatefulSet': { template: specOf('template'), selector: specOf('selector') },
  'apps/DaemonSet': { template: specOf('template'), selector: specOf('selector') },
  'apps/ReplicaSet': { template: specOf('template'), selector: specOf('selector') },
};

function specOf(field: string): (object: KubeObject) => unknown {
  return ({ spec }) => (spec as Record<string, unknown> | undefined)?.[field];
}

export interface ResolvedRollout {
  readonly rollout: Rollout;
  /** The template comes from another object. */
  readonly templateIsBorrowed: boolean;
  /** Of that object; undefined without one. */
  readonly generation?: string;
}

export interface WorkloadsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onChange: (ref: { kind: string; namespace: string; name: string }) => void;
}

/** Objects that Rollouts borrow templates from. Each kind is followed from when a Rollout first names one. */
export class Workloads {
  readonly #options: WorkloadsOptions;
  readonly #informers = new Map<string, Informer>();

  constructor(options: WorkloadsOptions) {
    this.#options = options;
  }

  /** The Rollout with the template that it borrows. Throws what is wrong with the reference. */
  async resolve(rollout: Rollout): Promise<ResolvedRollout> {
    const ref = rollout.spec.workloadRef;
    if (!ref) return { rollout, templateIsBorrowed: false };
    if (hasTemplateMetadata(rollout)) throw refused(rollout, 'template must be empty for workload reference rollout');
    const { apiVersion = '', kind = '', name = '' } = ref;
    const { group } = parseApiVersion(apiVersion);
    const known = Object.hasOwn(kinds, `${group}/${kind}`) ? kinds[`${group}/${kind}`] : undefined;
    if (!known) throw refused(rollout, `workload of type ${group}/${kind} is not supported`);
    const informer = await this.#follow({ apiVersion, kind });
    const workload = informer.get(rollout.metadata.namespace ?? '', name);
    if (!workload) throw refused(rollout, `${resourceOf(kind, group)} "${name}" not found`);
    const { selector = known.selector(workload) as LabelSelector | undefined } = rollout.spec;
    const spec = {
      ...rollout.spec,
      template: known.template(workload) as PodTemplate,
      ...(selector ? { selector } : {}),
    };
    return {
      rollout: { ...rollout, spec },
      templateIsBorrowed: true,
      generation: String(workload.metadata.generation ?? 0),
    };
  }

  /** The borrowed-from object as it is known; undefined if it is not there or not followed. */
  async find(namespace: string, ref: WorkloadRef): Promise<KubeObject | undefined> {
    const informer = await this.#follow({ apiVersion: ref.apiVersion ?? '', kind: ref.kind ?? '' });
    return informer.get(namespace, ref.name ?? '');
  }

  async #follow(kind: { apiVersion: string; kind: string }): Promise<Informer> {
    const key = `${kind.apiVersion}/${kind.kind}`;
    let informer = this.#informers.get(key);
    if (!informer) {
      const { client, clock, signal, onChange } = this.#options;
      informer = new Informer(client, { ref: kind, clock });
      this.#informers.set(key, informer);
      informer.subscribe(({ object: { metadata } }) =>
        onChange({ kind: kind.kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' }),
      );
      informer.start(signal);
    }
    await informer.synced;
    return informer;
  }
}

function resourceOf(kind: string, group: string): string {
  const plural = `${kind.toLowerCase()}s`;
  return group ? `${plural}.${group}` : plural;
}

function refused({ metadata }: Rollout, message: string) {
  return failure(workloadRefInvalid, {
    message,
    place: { object: `Rollout ${metadata.namespace}/${metadata.name}`, field: 'spec.workloadRef' },
    remedies: [
      'Name a Deployment, a StatefulSet, a DaemonSet, a ReplicaSet or a PodTemplate of the namespace, and leave spec.template out',
    ],
  });
}

/** Notes which state of the borrowed-from object the Rollout has seen; tells whether that is news. */
export function noteGeneration(next: Rollout, generation: string | undefined): boolean {
  const name = rolloutNames.annotations.workloadGeneration;
  const { [name]: before, ...rest } = next.metadata.annotations ?? {};
  if (before === generation) return false;
  next.metadata.annotations = generation === undefined ? rest : { ...rest, [name]: generation };
  return true;
}
