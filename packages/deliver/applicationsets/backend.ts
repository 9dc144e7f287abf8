import type { Application, ApplicationSet } from '@tiphys/api';
import type { ApplicationInformer, SharedState } from '@tiphys/applications';
import type { Reconciler } from '@tiphys/controller';
import { type Diagnosis, failure } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import { deletionsHeld } from './diagnoses/diagnoses.ts';
import { type Generation, generateApplications } from './generators/generate-applications.ts';
import type { GeneratorSources } from './generators/sources.ts';
import type { Origin } from './params/params.ts';
import { confirmedDeletionsAnnotation, pendingDeletionsAnnotation } from './plan/deletions.ts';
import { ignoreRulesOf, planChange } from './plan/plan.ts';
import { type ApplicationSetSettings, mayDelete, policyOf } from './settings/settings.ts';
import type { SetContext, SetMemory } from './steps/reconciliation.ts';

export interface BackendParts {
  readonly sets: ApplicationInformer<ApplicationSet>;
  readonly sources: GeneratorSources;
  readonly settings: () => ApplicationSetSettings;
  readonly shared: SharedState;
  readonly client: Client;
}

/** What would happen to one Application, and which element of which generator it is made for. */
export interface PreviewedApplication {
  readonly name: string;
  readonly change: 'create' | 'update' | 'none' | 'delete' | 'refused';
  readonly origin?: Origin;
  /** As the template gives it; absent for what is deleted. */
  readonly application?: Application;
  /** The merge patch of an update. */
  readonly patch?: Readonly<Record<string, unknown>>;
  readonly problem?: Diagnosis;
}

export interface Preview {
  readonly applications: readonly PreviewedApplication[];
  readonly failures: readonly { readonly diagnosis: Diagnosis; readonly origin?: Origin }[];
  readonly gaps: readonly Diagnosis[];
}

/** What the API server asks of ApplicationSets. */
export class ApplicationSetBackend {
  readonly #parts: BackendParts;
  #reconciler: Pick<Reconciler<ApplicationSet, SetContext, SetMemory>, 'memoryOf'> | undefined;

  constructor(parts: BackendParts) {
    this.#parts = parts;
  }

  /** Where this process makes the Applications too, what the controller has found is at hand. */
  follow(reconciler: Reconciler<ApplicationSet, SetContext, SetMemory>): void {
    this.#reconciler = reconciler;
  }

  /** Whether sets of the namespace are served at all. */
  permits(namespace: string): boolean {
    return this.#parts.sets.permits(namespace);
  }

  get(namespace: string, name: string): ApplicationSet | undefined {
    return this.#parts.sets.get(namespace, name);
  }

  list(): Iterable<ApplicationSet> {
    return this.#parts.sets.list();
  }

  subscribe(listener: Parameters<ApplicationInformer<ApplicationSet>['subscribe']>[0]): () => void {
    return this.#parts.sets.subscribe(listener);
  }

  resourceVersion(): string {
    return this.#parts.sets.state().resourceVersion;
  }

  /**
   * What the generators say of a set as given, stored or not. Upstream rule: only Secrets that are labelled for it are read then, since
   * anyone who asks sees what comes of them.
   */
  generate(set: ApplicationSet, signal?: AbortSignal): Promise<Generation> {
    const { sources } = this.#parts;
    const strict = { ...sources, settings: () => ({ ...sources.settings(), tokenRefStrictMode: true }) };
    return generateApplications(set, strict, { signal });
  }

  /** What would be created, changed and deleted if the set were stored as given. */
  async preview(set: ApplicationSet, signal?: AbortSignal): Promise<Preview> {
    const { applications, failures, gaps } = await this.generate(set, signal);
    const { shared, settings } = this.#parts;
    const { name: setName = '', namespace = '' } = set.metadata;
    const stored = this.get(namespace, setName);
    const { uid } = stored?.metadata ?? {};
    const known = { ...set, metadata: { ...set.metadata, ...(uid ? { uid } : {}) } };
    const preserved = {
      annotations: [...(set.spec.preservedFields?.annotations ?? []), ...settings().preservedAnnotations],
      labels: [...(set.spec.preservedFields?.labels ?? []), ...settings().preservedLabels],
    };
    const rules = ignoreRulesOf(set);
    const keeps = !mayDelete(policyOf(set, settings()));
    const previewed = applications.map(({ application, origin }): PreviewedApplication => {
      const { name = '' } = application.metadata;
      const change = planChange(known, application, shared.applications.get(namespace, name), {
        preserved,
        rules,
        keeps,
      });
      return {
        name,
        origin,
        application,
        change: change.kind,
        ...(change.kind === 'update' ? { patch: change.patch } : {}),
        ...(change.kind === 'refused' ? { problem: change.diagnosis } : {}),
      };
    });
    const wanted = new Set(previewed.map(({ name }) => name));
    const superfluous =
      failures.length > 0 || !uid
        ? []
        : [...shared.applications.list()].filter(
            ({ metadata }) =>
              metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid) &&
              !wanted.has(metadata.name ?? ''),
          );
    const deleted = superfluous.map(({ metadata }) => ({ name: metadata.name ?? '', change: 'delete' as const }));
    return { applications: [...previewed, ...deleted], failures, gaps };
  }

  /** Which element each Application of a stored set is made for, by name; what the controller found last where it is in this process. */
  async origins(set: ApplicationSet, signal?: AbortSignal): Promise<ReadonlyMap<string, Origin>> {
    const key = `${set.metadata.namespace}/${set.metadata.name}`;
    const known = this.#reconciler?.memoryOf(key).generation;
    const { applications } = known ?? (await this.generate(set, signal));
    return new Map(applications.map(({ application, origin }) => [application.metadata.name ?? '', origin]));
  }

  /** Agrees to the deletions that wait. Throws if none do. */
  async confirmDeletions(set: ApplicationSet): Promise<void> {
    const { apiVersion, kind, metadata } = set;
    const { namespace = '', name = '' } = metadata;
    let digest: unknown;
    try {
      digest = (JSON.parse(metadata.annotations?.[pendingDeletionsAnnotation] ?? '{}') as { digest?: unknown }).digest;
    } catch {
      digest = undefined;
    }
    if (typeof digest !== 'string')
      throw failure(deletionsHeld, {
        message: `No deletions of ApplicationSet ${name} wait to be confirmed`,
        place: { object: `ApplicationSet ${namespace}/${name}` },
        remedies: ['Look at its conditions: they say whether deletions wait'],
      });
    const annotations = { [confirmedDeletionsAnnotation]: digest };
    await this.#parts.client.patch({ apiVersion, kind, namespace, name }, 'merge', { metadata: { annotations } });
  }
}
