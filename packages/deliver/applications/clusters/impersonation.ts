import type { Application, AppProject } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { compileGlob, isGlob } from '@tiphys/glob';
import type { Client } from '@tiphys/kubernetes';
import type { ApplicationSettings } from '../settings/settings.ts';
import type { ClusterHandle } from './cluster-registry.ts';

const serviceAccountMissing = defineDiagnosis(
  'ServiceAccountMissing',
  'Impersonation is enforced, and the project names no service account for the destination',
  'C19',
);
const serviceAccountInvalid = defineDiagnosis(
  'ServiceAccountInvalid',
  'An entry of the service accounts of a project cannot be used',
  'C19',
);

/** Whose rights changes of an application are made with. */
interface Deployment {
  readonly application: Application;
  readonly project: AppProject;
  readonly cluster: Pick<ClusterHandle, 'server' | 'client'>;
  readonly settings: ApplicationSettings;
}

/**
 * The user name of the service account that changes of the application act as; undefined if they act as the control plane.
 * Upstream rule: the first of `destinationServiceAccounts` whose server and namespace match the destination; a bare name is one
 * in the destination namespace, or in the application's own if that is empty.
 */
export function serviceAccountOf({ application, project, cluster, settings }: Deployment): string | undefined {
  if (!settings.impersonation.enabled) return undefined;
  const namespace = application.spec.destination.namespace ?? '';
  const match = project.spec.destinationServiceAccounts?.find(
    (item) =>
      matches(project, 'server', item.server ?? '', cluster.server) &&
      matches(project, 'namespace', item.namespace ?? '', namespace),
  );
  if (!match) return undefined;
  const account = match.defaultServiceAccount;
  if (account.trim() === '' || /[!*[\]{}\\/]/.test(account))
    throw failure(serviceAccountInvalid, {
      message: `failed to derive service account to impersonate: default service account contains invalid chars '${account}'`,
      place: { object: `AppProject ${project.metadata.name}`, field: 'spec.destinationServiceAccounts' },
      remedies: ['Name a service account, or namespace:name'],
    });
  const prefix = 'system:serviceaccount:';
  return account.includes(':')
    ? prefix + account
    : `${prefix}${namespace || application.metadata.namespace}:${account}`;
}

/** A pattern that does not compile may have been meant for this destination: nobody can say as whom to act. */
function matches(project: AppProject, field: 'server' | 'namespace', pattern: string, text: string): boolean {
  if (isGlob(pattern)) return compileGlob(pattern)(text);
  throw failure(serviceAccountInvalid, {
    message: `failed to derive service account to impersonate: invalid glob pattern for destination ${field}: '${pattern}'`,
    place: { object: `AppProject ${project.metadata.name}`, field: 'spec.destinationServiceAccounts' },
    remedies: ['Correct the pattern'],
  });
}

/** The cluster's client that acts as the application's service account. Throws if one is enforced and there is none. */
export function clientOf(deployment: Deployment): Client {
  const { application, project, cluster, settings } = deployment;
  const name = serviceAccountOf(deployment);
  if (name !== undefined) return cluster.client.impersonating({ name });
  if (!settings.impersonation.enabled || !settings.impersonation.enforced) return cluster.client;
  const { server } = cluster;
  const { namespace = '' } = application.spec.destination;
  throw failure(serviceAccountMissing, {
    message: `no matching service account found for destination server ${server} and namespace ${namespace}`,
    place: { object: `AppProject ${project.metadata.name}`, field: 'spec.destinationServiceAccounts' },
    evidence: { 'spec.destinationServiceAccounts': JSON.stringify(project.spec.destinationServiceAccounts ?? []) },
    remedies: [
      {
        text: `Name one in AppProject ${project.metadata.name}`,
        paste: `spec:\n  destinationServiceAccounts:\n  - server: ${server}\n    namespace: ${namespace}\n    defaultServiceAccount: deployer`,
      },
      'Or let the control plane deliver: application.sync.impersonation.enforced: "false" in argocd-cm',
    ],
  });
}

/** The same for a deletion, which upstream does as the control plane where no service account is named. */
export function deletionClientOf(deployment: Deployment): Client {
  const name = serviceAccountOf(deployment);
  return name === undefined ? deployment.cluster.client : deployment.cluster.client.impersonating({ name });
}
