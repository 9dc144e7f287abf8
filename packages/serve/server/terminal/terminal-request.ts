import type { Client, KubeObject } from '@tiphys/kubernetes';
import { projectOf, rbacName, refOf } from '../applications/applications.ts';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import { Code, RpcError, rpcErrorOf } from '../rpc/rpc-error.ts';
import { isForeignOrigin } from '../transport/foreign-origin.ts';
import type { HttpRequest } from '../transport/http-message.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import type { SessionToken } from './session-token.ts';
import { TerminalRefusal } from './terminal-refusal.ts';

/** A terminal that may be opened. */
export interface TerminalTarget {
  /** What RBAC calls the application. */
  readonly object: string;
  readonly client: Client;
  readonly pod: { readonly namespace: string; readonly name: string };
  readonly container: string;
  /** To be tried in this order. */
  readonly shells: readonly string[];
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const isLabel = (name: string) => name.length <= 63 && new RegExp(`^${label}$`).test(name);
const isSubdomain = (name: string) => name.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(name);

const refuse = (status: number, message: string) => new TerminalRefusal(status, message);

/** `exec.enabled` and `exec.shells` of argocd-cm. */
export function execSettings(config: Readonly<Record<string, string>>): {
  enabled: boolean;
  shells: readonly string[];
} {
  const shells = (config['exec.shells'] || 'bash,sh,powershell,cmd').split(',').map((shell) => shell.trim());
  return { enabled: config['exec.enabled'] === 'true', shells: shells.filter(Boolean) };
}

/**
 * Checks everything that a terminal needs, in Argo CD's order and with its statuses: parameters, `applications, get` and
 * `exec, create`, the application in its project, a pod of its tree, a container that runs. Who may not see an application learns
 * nothing about what exists (CVE-2022-41354).
 */
export async function terminalTarget(
  context: ServerContext,
  request: HttpRequest,
  session: SessionToken,
  signal: AbortSignal,
): Promise<TerminalTarget> {
  const { namespace: controlPlane, plane, log } = context;
  const { enabled, shells } = execSettings(plane.configMap('argocd-cm'));
  if (!enabled) throw refuse(404, 'The web terminal is off: set exec.enabled to "true" in argocd-cm');
  if (isForeignOrigin(request, plane.configMap('argocd-cm')))
    throw refuse(
      403,
      'The request comes from a page of another site; if it is yours, set url in argocd-cm to its address',
    );
  const parameters = readParameters(request);
  const { app: name, appNamespace, project, pod, namespace, container, shell } = parameters;
  const given = { metadata: { name, namespace: appNamespace || controlPlane }, spec: { project, destination: {} } };
  if (!context.applications.permits(given.metadata.namespace))
    throw refuse(403, `namespace '${given.metadata.namespace}' is not permitted`);
  const object = rbacName(given, controlPlane);
  const call = { ...session.call(request), signal };
  await session.assertPermitted(object);

  const app = await visibleApplication(context, call, { name, appNamespace });
  if (projectOf(app) !== project) throw refuse(400, 'The wrong project was specified for the app');
  const { client } = await context.backend.cluster(app.spec.destination).catch((error: unknown) => {
    throw refuse(400, `Cannot get raw cluster config: ${rpcErrorOf(error).message}`);
  });
  const tree = await context.backend.tree(refOf(app), signal).catch((error: unknown) => {
    throw refuse(500, rpcErrorOf(error).message);
  });
  const belongs = tree.nodes.some(
    ({ key, uid }) => uid && key.kind === 'Pod' && key.group === '' && key.name === pod && key.namespace === namespace,
  );
  if (!belongs) throw refuse(400, "Pod doesn't belong to specified app");
  const asking = client.as({
    component: 'server',
    application: `${app.metadata.namespace}/${app.metadata.name}`,
    purpose: 'terminal',
  });
  const live = await asking
    .get<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace, name: pod }, { signal })
    .catch((error: unknown) => {
      log('error', 'the pod of a terminal could not be read', { pod, namespace, error: String(error) });
      throw refuse(400, 'Cannot find pod');
    });
  if (!isRunning(live, container)) throw refuse(400, `The container ${container} of pod ${pod} is not running`);
  return {
    object,
    client: asking,
    pod: { namespace, name: pod },
    container,
    shells: shells.includes(shell) ? [shell] : shells,
  };
}

function readParameters(request: HttpRequest) {
  const query = parseUrlQuery(request.url);
  const of = (name: string) => query.get(name) ?? '';
  const pod = of('pod');
  const container = of('container');
  const app = of('appName');
  const project = of('projectName');
  const namespace = of('namespace');
  const appNamespace = of('appNamespace');
  if (!pod || !container || !app || !project || !namespace) throw refuse(400, 'Missing required parameters');
  for (const [what, value, valid] of [
    ['Pod name', pod, isSubdomain],
    ['Container name', container, isLabel],
    ['App name', app, isSubdomain],
    ['Project name', project, isSubdomain],
    ['Namespace name', namespace, isLabel],
    ['App namespace name', appNamespace || 'none', isLabel],
  ] as const)
    if (!valid(value)) throw refuse(400, `${what} is not valid`);
  // the shell need not be looked at: it is only used if it is one of the settings
  return { pod, container, app, project, namespace, appNamespace, shell: of('shell') };
}

async function visibleApplication(context: ServerContext, call: Call, query: { name: string; appNamespace: string }) {
  try {
    return (await accessApplication(context, call, 'get', query)).app;
  } catch (error) {
    if (error instanceof RpcError && error.code === Code.PermissionDenied) throw refuse(404, 'App not found');
    throw refuse(400, rpcErrorOf(error).message);
  }
}

interface ContainerStatus {
  name: string;
  state?: { running?: object };
}

type Pod = KubeObject & {
  status?: { containerStatuses?: ContainerStatus[]; initContainerStatuses?: ContainerStatus[] };
};

function isRunning({ status }: Pod, container: string): boolean {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ name, state }) => name === container && state?.running,
  );
}
