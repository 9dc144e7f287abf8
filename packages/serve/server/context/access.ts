import type { Application } from '@tiphys/api';
import { type EffectiveProject, sourceNamespaceDenial } from '@tiphys/applications';
import { applicationKind, isMissing, notFoundMessage, projectOf, rbacName } from '../applications/applications.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument, notFound, permissionDenied } from '../rpc/rpc-error.ts';
import type { ServerContext } from './server-context.ts';

export interface AppQuery {
  readonly name?: string | undefined;
  readonly appNamespace?: string | undefined;
  readonly project?: string | undefined;
}

/**
 * The application that a request names, if the caller may do `action` to it, with its project. Who may not learns
 * nothing about what exists (CVE-2022-41354, CVE-2024-36106): without a project in the query both a missing and a
 * forbidden application are PermissionDenied; with one that the caller may use, both are NotFound.
 */
export async function accessApplication(
  context: ServerContext,
  call: Call,
  action: string,
  query: AppQuery,
): Promise<Accessed> {
  const { namespace } = context;
  const enforcer = await context.enforcer();
  const name = query.name ?? '';
  const appNamespace = query.appNamespace || namespace;
  if (query.project) {
    const given = rbacName(
      { metadata: { name, namespace: appNamespace }, spec: { project: query.project, destination: {} } },
      namespace,
    );
    const allowed = enforcer.allows(call.identity, 'applications', action, given);
    // read it in any case, so that refusals take as long as answers
    const app = await read(context, name, appNamespace);
    if (!allowed) throw permissionDenied();
    if (
      !app ||
      !enforcer.allows(call.identity, 'applications', action, rbacName(app, namespace)) ||
      projectOf(app) !== query.project
    )
      throw notFound(notFoundMessage(name));
    return { app, project: await projectFor(context, app) };
  }
  const app = await read(context, name, appNamespace);
  if (!app || !enforcer.allows(call.identity, 'applications', action, rbacName(app, namespace)))
    throw permissionDenied();
  return { app, project: await projectFor(context, app) };
}

interface Accessed {
  readonly app: Application;
  readonly project: EffectiveProject;
}

/**
 * The same, as the watch last saw it, for what reads without telling of the application itself: the API server, which a sync of thousands
 * keeps busy, is not asked, as by upstream's getApplicationEnforceRBACInformer. What the watch has not seen, or the caller may not, is read
 * in any case, so that refusals take as long for what exists as for what does not.
 */
export async function viewApplication(
  context: ServerContext,
  call: Call,
  action: string,
  query: AppQuery,
): Promise<Accessed> {
  const { applications, namespace } = context;
  const name = { name: query.name ?? '', namespace: query.appNamespace || namespace };
  const known = applications.permits(name.namespace) ? applications.known(name) : undefined;
  const isGiven = known && (!query.project || projectOf(known) === query.project);
  const enforcer = await context.enforcer();
  if (!isGiven || !enforcer.allows(call.identity, 'applications', action, rbacName(known, namespace)))
    return accessApplication(context, call, action, query);
  const app = { ...known, ...applicationKind };
  return { app, project: await projectFor(context, app) };
}

async function read(
  { applications, log }: ServerContext,
  name: string,
  appNamespace: string,
): Promise<Application | undefined> {
  if (!name) return undefined;
  try {
    return await applications.find({ name, namespace: appNamespace });
  } catch (error) {
    if (!isMissing(error))
      log('error', 'an application could not be read', { application: name, error: String(error) });
    return undefined;
  }
}

/**
 * The project of an application with all rules that hold, if it permits the application's namespace (CVE-2024-31990); the refusal
 * does not say whether it exists.
 */
export async function projectFor(
  { projects, log, namespace }: ServerContext,
  app: Application,
): Promise<EffectiveProject> {
  const name = projectOf(app);
  const refusal = () =>
    invalidArgument(`app is not allowed in project "${app.spec?.project ?? ''}", or the project does not exist`);
  try {
    const project = projects.known(name) ?? (await projects.find(name));
    if (!project || sourceNamespaceDenial(project, app, namespace)) throw refusal();
    return projects.effective(project);
  } catch (error) {
    if (error instanceof Error && error.name === 'RpcError') throw error;
    log('warn', 'a project could not be read', { project: name, error: String(error) });
    throw refusal();
  }
}
