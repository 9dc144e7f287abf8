import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { WorkflowServices } from '@tiphys/api';
import { type AnyHandler, type Call, type Endpoint, endpointsOf } from '@tiphys/server';
import { callIn, type FlowCall } from './common/caller.ts';
import { withFlowErrors } from './common/failures.ts';
import type { ServerParts } from './common/server-parts.ts';
import { archiveService } from './services/archive-service.ts';
import { eventService } from './services/event-service.ts';
import { eventSourceService, sensorService } from './services/events-services.ts';
import { infoService, serverVersion } from './services/info-service.ts';
import { syncService } from './services/sync-service.ts';
import { clusterTemplateService, cronService, templateService } from './services/template-services.ts';
import { workflowService } from './services/workflow-service.ts';

/** All methods of Argo Workflows' API with what serves them. */
export function flowEndpoints(services: WorkflowServices, parts: ServerParts, signal: AbortSignal): Endpoint[] {
  const handlers: Record<keyof WorkflowServices, object> = {
    archive: archiveService(parts),
    clusterTemplate: clusterTemplateService(parts),
    cron: cronService(parts),
    event: eventService(parts, signal),
    eventSource: eventSourceService(parts),
    info: infoService(parts),
    sensor: sensorService(parts),
    sync: syncService(parts),
    template: templateService(parts),
    workflow: workflowService(parts),
  };
  const headers = { 'argo-version': serverVersion(parts).version };
  return endpointsOf(services as Record<string, DescService>, (key, method) => {
    const handler = (handlers[key as keyof WorkflowServices] as Record<string, AnyHandler>)[method.localName];
    return handler && withFlowErrors(inItsNamespace(handler, method.methodKind));
  }).map((endpoint) => ({ ...endpoint, headers }));
}

/** Rights may depend on the namespace that a request names. */
function inItsNamespace(handler: AnyHandler, kind: DescMethod['methodKind']): AnyHandler {
  const there = (request: unknown, call: Call) =>
    callIn(call as FlowCall, (request as { namespace?: string }).namespace ?? '');
  if (kind === 'unary') return async (request, call) => await handler(request, await there(request, call));
  return async function* (request, call) {
    yield* handler(request, await there(request, call)) as AsyncIterable<unknown>;
  };
}
