import { names } from '@tiphys/api';
import { matchListed } from '@tiphys/glob';
import type { KubeObject } from '@tiphys/kubernetes';
import { argocdCatalogue } from '../catalog/argocd.ts';
import type { RepositoryQuestions } from '../variables/repository-facts.ts';
import type { NotifiedKind } from './family.ts';

export interface ApplicationsOptions {
  /** Of the control plane. */
  readonly namespace: string;
  /** Globs and expressions of other namespaces that may hold Applications. */
  readonly applicationNamespaces: () => readonly string[];
  readonly selfService: boolean;
  /** The project by its name. */
  readonly project: (name: string) => KubeObject | undefined;
  readonly questions?: RepositoryQuestions | undefined;
}

/** What Applications and ApplicationSets share: upstream's names, and one ConfigMap with its Secret. */
export const argocdNotified = {
  apiVersion: names.apiVersion,
  configMapName: 'argocd-notifications-cm',
  secretName: 'argocd-notifications-secret',
  prefix: 'notifications.argoproj.io',
  metricsPrefix: 'argocd',
  component: 'argocd-notifications-controller',
  catalogue: argocdCatalogue,
};

/** Notifications of Applications, with upstream's names. */
export function applicationNotifications(options: ApplicationsOptions): NotifiedKind {
  const { namespace } = options;
  return {
    name: 'applications',
    ...argocdNotified,
    kind: 'Application',
    variable: 'app',
    shares: { variables: ['appset'], isFirst: true },
    selfService: options.selfService,
    questions: options.questions,
    skips: (app) => {
      const own = app.metadata.namespace ?? '';
      if (own !== namespace && !matchListed(options.applicationNamespaces(), own))
        return 'its namespace may not hold applications';
      return isRefreshed(app) ? undefined : 'its sync status is older than its last operation';
    },
    parent: (app) => options.project(String((app.spec as { project?: string } | undefined)?.project || 'default')),
  };
}

interface Status {
  readonly operationState?: { readonly phase?: string; readonly finishedAt?: string };
  readonly reconciledAt?: string;
  readonly observedAt?: string;
}

/** Whether the status was made after the end of the last operation: before that, it tells of the past. */
function isRefreshed(app: KubeObject): boolean {
  const { operationState, reconciledAt, observedAt } = (app.status ?? {}) as Status;
  if (!operationState?.phase || !['Failed', 'Error', 'Succeeded'].includes(operationState.phase)) return true;
  const finished = Date.parse(operationState.finishedAt ?? '');
  if (Number.isNaN(finished)) return false;
  return [reconciledAt, observedAt].some((time) => Date.parse(time ?? '') >= finished);
}
