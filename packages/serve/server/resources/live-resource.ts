import type { Application } from '@tiphys/api';
import type { TreeNode } from '@tiphys/engine';
import type { Client, ResourceRef } from '@tiphys/kubernetes';
import { refOf } from '../applications/applications.ts';
import { accessApplication, viewApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';

export interface ResourceQuery {
  readonly name?: string | undefined;
  readonly appNamespace?: string | undefined;
  readonly project?: string | undefined;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly resourceName?: string | undefined;
}

export interface LiveResource {
  readonly app: Application;
  readonly node: TreeNode;
  readonly ref: ResourceRef & { name: string };
  /** Of the cluster in which the object lives. */
  readonly client: Client;
}

/**
 * A live object of an application's tree, if the caller may do `action`. `update` and `delete` may also be granted for
 * single kinds and objects: `delete/apps/Deployment/ns/name`. Objects outside the tree are refused, whatever they are.
 */
export async function liveResource(
  context: ServerContext,
  call: Call,
  action: string,
  query: ResourceQuery,
): Promise<LiveResource> {
  const app = await accessFineGrained(context, call, action, query);
  const { group = '', kind = '', namespace = '', resourceName = '' } = query;
  const tree = await context.backend.tree(refOf(app), call.signal);
  const node = [...tree.nodes, ...tree.orphaned].find(
    ({ key }) => key.group === group && key.kind === kind && key.namespace === namespace && key.name === resourceName,
  );
  if (!node?.uid)
    throw invalidArgument(`${kind} ${group} ${resourceName} not found as part of application ${query.name}`);
  const { client } = await context.backend.clusterOf(app);
  const version = query.version || node.version;
  const ref = {
    apiVersion: group ? `${group}/${version}` : version,
    kind,
    name: resourceName,
    ...(namespace ? { namespace } : {}),
  };
  return {
    app,
    node,
    ref,
    client: client.as({
      component: 'server',
      application: `${app.metadata.namespace}/${app.metadata.name}`,
      purpose: action.split('/')[0] as string,
    }),
  };
}

/** The same for actions, which can also be done to the application itself. */
export async function actionTarget(
  context: ServerContext,
  call: Call,
  action: string,
  query: ResourceQuery,
): Promise<Omit<LiveResource, 'node'>> {
  const self =
    query.group === 'argoproj.io' && query.kind === 'Application' && query.resourceName === query.name && query.name;
  if (!self) return liveResource(context, call, action, query);
  const { app } = await accessApplication(context, call, action, query);
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', ...refOf(app) };
  return { app, ref, client: context.client.as({ component: 'server', purpose: action.split('/')[0] as string }) };
}

async function accessFineGrained(
  context: ServerContext,
  call: Call,
  action: string,
  query: ResourceQuery,
): Promise<Application> {
  const fine = `${action}/${query.group ?? ''}/${query.kind ?? ''}/${query.namespace ?? ''}/${query.resourceName ?? ''}`;
  if (action !== 'update' && action !== 'delete') return (await viewApplication(context, call, action, query)).app;
  const config = context.plane.configMap('argocd-cm');
  if (config['server.rbac.disableApplicationFineGrainedRBACInheritance'] !== 'false')
    return (await accessApplication(context, call, fine, query)).app;
  try {
    return (await accessApplication(context, call, action, query)).app;
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== Code.PermissionDenied) throw error;
    return (await accessApplication(context, call, fine, query)).app;
  }
}
