import type { Application } from '@tiphys/api';
import type { Backend } from '@tiphys/applications';
import type { RepositoryQuestions } from '@tiphys/notifications';

interface Spec {
  readonly project?: string;
  readonly source?: Parameters<Backend['revision']>[0];
  readonly sources?: readonly Parameters<Backend['revision']>[0][];
}

/** What templates ask of an Application's repository, answered by the process that renders. */
export function repositoryQuestions(backend: Pick<Backend, 'revision' | 'sourceDetails'>): RepositoryQuestions {
  const first = (object: Readonly<Record<string, unknown>>): { spec: Spec; source: NonNullable<Spec['source']> } => {
    const spec = (object.spec ?? {}) as Spec;
    const source = spec.source ?? spec.sources?.[0];
    if (!source) throw new Error('the application has no source');
    return { spec, source };
  };
  return {
    async commit(object, revision) {
      const { spec, source } = first(object);
      return await backend.revision(source, spec.project || 'default', revision);
    },
    async details(object) {
      const { source } = first(object);
      const { type, helm } = await backend.sourceDetails(object as unknown as Application, source);
      const chart = (source as { helm?: { parameters?: { name: string; value: string }[] } }).helm;
      return {
        type,
        ...(helm ? { helm: { ...helm, name: '', overrides: chart?.parameters ?? [] } } : {}),
      };
    },
  };
}
