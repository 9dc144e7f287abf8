import { matchListed } from '@tiphys/glob';
import type { KubeObject } from '@tiphys/kubernetes';
import { type ApplicationsOptions, argocdNotified } from './applications.ts';
import type { NotifiedKind } from './family.ts';

export type ApplicationSetsOptions = Omit<ApplicationsOptions, 'applicationNamespaces' | 'questions'> & {
  /** Globs and expressions of other namespaces that may hold ApplicationSets. */
  readonly applicationSetNamespaces: () => readonly string[];
};

/**
 * Notifications of ApplicationSets, of which Argo CD tells nobody: by the settings of Applications, as far as their triggers speak
 * of `appset`.
 */
export function applicationSetNotifications(options: ApplicationSetsOptions): NotifiedKind {
  const { namespace } = options;
  return {
    name: 'applicationsets',
    ...argocdNotified,
    kind: 'ApplicationSet',
    variable: 'appset',
    shares: { variables: ['app'], isFirst: false },
    selfService: options.selfService,
    skips: ({ metadata }) => {
      const own = metadata.namespace ?? '';
      return own === namespace || matchListed(options.applicationSetNamespaces(), own)
        ? undefined
        : 'its namespace may not hold ApplicationSets';
    },
    parent: (set) => options.project(projectOf(set)),
  };
}

/** The project of all of its Applications; none where the elements say it. */
function projectOf({ spec }: KubeObject): string {
  const { template } = (spec ?? {}) as { template?: { spec?: { project?: string } } };
  return template?.spec?.project || 'default';
}
