import { destinationDenial } from '@tiphys/applications';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument, permissionDenied } from '../rpc/rpc-error.ts';
import { applicationHeader, projectHeader, type ToldHeader } from './header-names.ts';
import type { ProxyExtension, ProxyService } from './proxy-settings.ts';

/** The cluster of the application on whose behalf an extension is called. */
interface Destination {
  readonly name: string;
  readonly server: string;
}

export interface ProxyTarget {
  readonly destination: Destination;
  /** What the backend is told of the request. */
  readonly told: Readonly<Partial<Record<ToldHeader, string>>>;
}

const name = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * On whose behalf an extension is called, by the headers of the request. Throws unless the caller may see the application in its
 * project, may invoke the extension, and the project permits the application's cluster.
 */
export async function proxyTarget(context: ServerContext, call: Call, extension: string): Promise<ProxyTarget> {
  const application = required(call, applicationHeader, 'Argocd-Application-Name');
  const project = required(call, projectHeader, 'Argocd-Project-Name');
  const parts = application.split(':');
  const [appNamespace = '', appName = ''] = parts;
  if (parts.length !== 2 || !name.test(appNamespace) || !name.test(appName))
    throw invalidArgument('The header Argocd-Application-Name is not NAMESPACE:NAME of an application');
  if (!name.test(project)) throw invalidArgument('The header Argocd-Project-Name is not the name of a project');
  if (!context.applications.permits(appNamespace)) throw permissionDenied();
  const found = await accessApplication(context, call, 'get', { name: appName, appNamespace, project });
  (await context.enforcer()).enforce(call.identity, 'extensions', 'invoke', extension);
  const { destination } = found.app.spec;
  const cluster = await context.clusters.resolve(destination);
  const denial = destinationDenial(found.project, { ...cluster, namespace: destination.namespace ?? '' });
  if (denial) throw permissionDenied(denial.message);
  const { identity } = call;
  return {
    destination: { name: destination.name ?? '', server: destination.server ?? '' },
    told: {
      'argocd-namespace': context.namespace,
      ...(destination.name ? { 'argocd-target-cluster-name': destination.name } : {}),
      ...(destination.server ? { 'argocd-target-cluster-url': destination.server } : {}),
      ...(identity ? { 'argocd-username': identity.name ?? identity.subject, 'argocd-user-id': identity.subject } : {}),
      ...(identity?.groups.length ? { 'argocd-user-groups': identity.groups.join(',') } : {}),
    },
  };
}

function required({ header }: Call, key: string, shown: string): string {
  const value = header(key);
  if (!value) throw invalidArgument(`The header ${shown} must be there`);
  return value;
}

/** The only service, or the one whose cluster is the application's by every name that both have. */
export function serviceFor({ services }: ProxyExtension, destination: Destination): ProxyService | undefined {
  if (services.length === 1) return services[0];
  return services.find(({ cluster }) => {
    if (!cluster) return false;
    const names = !destination.name || cluster.name === destination.name;
    const servers = !destination.server || cluster.server === destination.server;
    return names && servers && (destination.name !== '' || destination.server !== '');
  });
}
