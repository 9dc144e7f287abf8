import { hasClusterRight } from '../../context/cluster-right.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { Admit } from '../../rpc/grpc.ts';
import { httpStatusOf, permissionDenied, rpcErrorOf } from '../../rpc/rpc-error.ts';
import { type HttpRequest, type HttpResponse, sendJson } from '../../transport/http-message.ts';
import type { OwnEndpoint, OwnRequest } from '../own-api.ts';

const base = '/api/tiphys/v1/flow';

/**
 * `/api/tiphys/v1/flow/…`: Argo Workflows' API below it, and its artifacts, for who may `clusters, update, *`: specs, inputs, outputs
 * and logs may hold secrets, and what is submitted runs with the rights of its namespace.
 */
export function workflowApi(context: ServerContext): OwnEndpoint {
  let serve: ((request: HttpRequest, response: HttpResponse) => Promise<void>) | undefined;
  return ({ path, request, response, admit }: OwnRequest) => {
    if (!path.startsWith(`${base}/`)) return undefined;
    const { workflows } = context;
    if (!workflows) return refuse({ path, request, response, admit: ofOwners(context, admit) });
    serve ??= workflows.api({ admit: ofOwners(context, admit), config: () => context.plane.configMap('argocd-cm') });
    request.url = (request.url ?? '').slice(base.length);
    return serve(request, response);
  };
}

/** Who may not call does not learn what this process offers. */
async function refuse({ request, response, admit }: OwnRequest): Promise<void> {
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  try {
    await admit({ path: base, header, signal: new AbortController().signal });
    sendJson(response, 501, {
      code: 12,
      message: 'This process does not offer the API of workflows: its log says why',
    });
  } catch (error) {
    const { code, message } = rpcErrorOf(error);
    sendJson(response, httpStatusOf(code), { error: message, code, message });
  }
}

function ofOwners(context: ServerContext, admit: Admit): Admit {
  return async (asked) => {
    const call = await admit({ ...asked, path: '/cluster.ClusterService/Update' });
    if (await hasClusterRight(context, call, 'update')) return { ...call, method: asked.path };
    throw permissionDenied(
      'permission denied: clusters, update, *: contents of workflows are shown, and workflows are changed, to who may update all clusters ("p, role:…, clusters, update, *, allow" in argocd-rbac-cm)',
    );
  };
}
