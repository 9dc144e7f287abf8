import { randomBytes } from 'node:crypto';
import { type flow, workflowNames } from '@tiphys/api';
import { EventRecorder } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import { Code, RpcError } from '@tiphys/server';
import { type EventBinding, eventWorkflow } from '@tiphys/workflows';
import { BackgroundWork, countOf } from '../common/background-work.ts';
import type { FlowCall } from '../common/caller.ts';
import { flowError } from '../common/failures.ts';
import { instanceSelector, isOfInstance, labelCreator, labelInstance } from '../common/labels.ts';
import type { WireListOptions } from '../common/list-options.ts';
import type { ServerParts } from '../common/server-parts.ts';

interface EventRequest {
  readonly namespace?: string;
  readonly discriminator?: string;
  readonly payload?: unknown;
}

type Binding = KubeObject & EventBinding;
type Template = KubeObject & flow.WorkflowTemplate;

const apiVersion = workflowNames.apiVersion;

/** `event.EventService`: what comes in starts the workflows of those WorkflowEventBindings whose selector it fits. */
export function eventService(parts: ServerParts, signal: AbortSignal) {
  const recorder = new EventRecorder<Binding>({
    client: parts.own,
    clock: parts.clock,
    component: 'argo-server',
    onError: (error) => parts.log('error', 'an Event cannot be written', { error: String(error) }),
    signal,
  });

  const dispatch = async (call: FlowCall, binding: Binding, env: Readonly<Record<string, unknown>>): Promise<void> => {
    const { namespace = '', name = '' } = binding.metadata;
    const template = async (named: { name: string; isCluster: boolean }) => {
      const ref = named.isCluster
        ? { apiVersion, kind: 'ClusterWorkflowTemplate', name: named.name }
        : { apiVersion, kind: 'WorkflowTemplate', namespace, name: named.name };
      const found = await call.client.get<Template>(ref, { signal: call.signal });
      if (!isOfInstance(found, parts.settings.instanceId))
        throw new Error(`'${named.name}' is not managed by the current Argo Server`);
      return found.spec;
    };
    const workflow = await eventWorkflow(binding, env, template);
    if (!workflow) return;
    const object = workflow as KubeObject & flow.Workflow;
    labelInstance(object, parts.settings.instanceId);
    labelCreator(object, call.claims);
    object.metadata.labels = { ...object.metadata.labels, 'workflows.argoproj.io/workflow-event-binding': name };
    if (!object.metadata.name) object.metadata.name = `${object.metadata.generateName}${suffix()}`;
    const kind = { apiVersion, kind: 'Workflow' };
    await call.client.create(
      { ...object, ...kind, metadata: { ...object.metadata, namespace } },
      { signal: call.signal },
    );
  };

  const dispatchAll = async (
    call: FlowCall,
    bindings: readonly Binding[],
    env: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const failed: string[] = [];
    for (const binding of bindings) {
      try {
        await dispatch(call, binding, env);
      } catch (error) {
        const message = error instanceof RpcError ? error.message : wordsOf(error);
        failed.push(message);
        recorder.record(
          { ...binding, apiVersion, kind: 'WorkflowEventBinding' },
          {
            type: 'Warning',
            reason: 'WorkflowEventBindingError',
            message: `failed to dispatch event: ${message}`,
          },
        );
      }
    }
    if (failed.length > 0) throw new RpcError(Code.Internal, `failed to dispatch event: [${failed.join(' ')}]`);
  };

  const { env: variables } = parts;
  const background =
    variables.ARGO_EVENT_ASYNC_DISPATCH === 'true'
      ? new BackgroundWork(
          {
            workers: countOf(variables.ARGO_EVENT_WORKER_COUNT, 4),
            queue: countOf(variables.ARGO_EVENT_OPERATION_QUEUE_SIZE, 16),
          },
          (error) => parts.log('error', 'an event was not dispatched', { error: wordsOf(error) }),
        )
      : undefined;

  return {
    async receiveEvent(request: EventRequest, call: FlowCall) {
      const { namespace = '', discriminator = '', payload = null } = request;
      const list = await call.client.list<Binding>(
        { apiVersion, kind: 'WorkflowEventBinding', ...(namespace ? { namespace } : {}) },
        { labelSelector: instanceSelector(undefined, parts.settings.instanceId), signal: call.signal },
      );
      const env = { namespace, discriminator, payload, metadata: headersOf(call) };
      // the request is over before the work is
      const work = (own: FlowCall) => dispatchAll(own, list.items, env);
      if (!background) await work(call);
      else if (!background.accepts(() => work({ ...call, signal })))
        throw new RpcError(Code.Unavailable, 'operation queue full');
      return {};
    },

    async listWorkflowEventBindings(request: { namespace?: string; listOptions?: WireListOptions }, call: FlowCall) {
      const { namespace, listOptions = {} } = request;
      const list = await call.client.list(
        { apiVersion, kind: 'WorkflowEventBinding', ...(namespace ? { namespace } : {}) },
        { signal: call.signal, ...(listOptions.labelSelector ? { labelSelector: listOptions.labelSelector } : {}) },
      );
      return { metadata: list.metadata, items: list.items };
    },
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error && !('diagnosis' in error) ? error.message : flowError(error).message;
}

function suffix(): string {
  return [...randomBytes(5)].map((byte) => 'bcdfghjklmnpqrstvwxz2456789'[byte % 27]).join('');
}

/** Headers that begin with x-: others may be secrets. */
function headersOf({ headers }: FlowCall): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers()).filter(([name]) => name.startsWith('x-')));
}
