import { loadWorkflowServices } from '@tiphys/api';
import {
  type Admit,
  type Call,
  Gateway,
  type HttpRequest,
  type HttpResponse,
  type WorkflowQuery,
  type WorkflowsAccess,
} from '@tiphys/server';
import { flowEndpoints } from './all-services.ts';
import { ArtifactServer } from './artifacts/serve-artifacts.ts';
import { UploadServer } from './artifacts/serve-uploads.ts';
import type { FlowCall } from './common/caller.ts';
import { listWorkflows } from './common/listing.ts';
import { LiveWorkflows } from './common/live-workflows.ts';
import { openParts, type PartsOptions } from './open-parts.ts';

/**
 * Argo Workflows' API for the page, in the process of another server: who may call is that server's to say, and what is called has the
 * rights of `client`.
 */
export async function openPageAccess(options: PartsOptions): Promise<WorkflowsAccess & { close(): Promise<void> }> {
  const parts = await openParts(options);
  const stop = new AbortController();
  const endpoints = flowEndpoints(await loadWorkflowServices(), parts, stop.signal);
  const live = new LiveWorkflows(parts);
  const flowCall = (call: Call, headers: FlowCall['headers'] = () => ({})): FlowCall => ({
    ...call,
    client: options.client.as({ component: 'server', purpose: call.method.split('/').at(-1) ?? '' }),
    claims: call.identity ? { subject: call.identity.subject } : undefined,
    headers,
  });
  return {
    get columns() {
      return parts.settings.columns;
    },
    async list(call, { name, limit, ...query }: WorkflowQuery) {
      const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value));
      return await listWorkflows(parts, flowCall(call), {
        continue: '',
        ...filter,
        ...(name ? { name, nameFilter: 'Contains' as const } : {}),
        limit,
        showsRemaining: false,
      });
    },
    async get(call, named) {
      return await live.whole(await live.get(flowCall(call), named));
    },
    api({ admit, config }) {
      const admitted: Admit = async (asked) => flowCall(await admit(asked), asked.headers);
      const gateway = new Gateway({
        endpoints,
        admit: admitted,
        observe: ({ path, error }) => {
          if (error !== undefined) options.log('info', path, { error: String(error) });
        },
        config,
        contentTypes: () => ['application/json'],
        secureCookies: () => true,
        chosenByServices: true,
      });
      const artifacts = new ArtifactServer(parts, { admit: admitted });
      const uploads = new UploadServer(parts, { admit: admitted });
      return async (request: HttpRequest, response: HttpResponse) => {
        const path = (request.url ?? '/').split('?')[0] ?? '/';
        if (!path.startsWith('/api/') && (await artifacts.serve(path, request, response))) return;
        if (await uploads.serve(path, request, response)) return;
        await gateway.serve(request, response);
      };
    },
    async close() {
      stop.abort(new Error('the server is closing'));
      await parts.close();
    },
  };
}
