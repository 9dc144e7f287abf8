import { type flow, workflowNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { Code, invalidArgument, notFound, permissionDenied, RpcError, rpcErrorOf } from '@tiphys/server';
import { resubmitted, resumed, retried, submitted, withNodesSet, workflowFrom } from '@tiphys/workflows';
import { giveArtifacts } from '../artifacts/give-artifacts.ts';
import { type FlowCall, mayDo } from '../common/caller.ts';
import { FieldChoice } from '../common/fields.ts';
import { actorPatch, instanceSelector, labelActor, labelCreator, labelInstance, resumedBy } from '../common/labels.ts';
import { filterOf, type ListRequest, type WireListOptions } from '../common/list-options.ts';
import { listWorkflows } from '../common/listing.ts';
import { LiveWorkflows, type Named, type StoredWorkflow } from '../common/live-workflows.ts';
import type { ServerParts } from '../common/server-parts.ts';
import { validateSpec } from '../common/validation.ts';
import { watchObjects } from '../common/watching.ts';
import { type LogRequest, workflowLogs } from '../logs/workflow-logs.ts';

interface CreateRequest {
  readonly namespace: string;
  readonly workflow?: StoredWorkflow;
  readonly serverDryRun?: boolean;
  readonly createOptions?: { readonly dryRun?: readonly string[] };
}

interface SubmitRequest {
  readonly namespace: string;
  readonly resourceKind?: string;
  readonly resourceName?: string;
  readonly submitOptions?: SubmitOptions;
}

interface SubmitOptions {
  readonly name?: string;
  readonly generateName?: string;
  readonly entrypoint?: string;
  readonly parameters?: readonly string[];
  readonly artifacts?: readonly string[];
  readonly serviceAccount?: string;
  readonly dryRun?: boolean;
  readonly serverDryRun?: boolean;
  readonly labels?: string;
  readonly annotations?: string;
  readonly ownerReference?: object;
  readonly podPriorityClassName?: string;
  readonly priority?: number;
}

interface SetRequest extends Named {
  readonly nodeFieldSelector?: string;
  readonly message?: string;
  readonly phase?: string;
  readonly outputParameters?: string;
}

const finished: readonly string[] = ['Succeeded', 'Failed', 'Error'];

/** `workflow.WorkflowService`. */
export function workflowService(parts: ServerParts) {
  const live = new LiveWorkflows(parts);
  const { instanceId } = parts.settings;

  const shutDown = async (call: FlowCall, request: Named, strategy: 'Stop' | 'Terminate') => {
    const workflow = await live.get(call, request);
    const { name = '', namespace = '' } = workflow.metadata;
    if (finished.includes(workflow.status?.phase ?? ''))
      throw new RpcError(
        Code.Internal,
        `cannot shutdown a completed workflow: workflow: "${name}", namespace: "${namespace}"`,
      );
    const labels = actorPatch(call.claims, strategy);
    return await live.patch(
      call,
      { namespace, name },
      { spec: { shutdown: strategy }, ...(labels ? { metadata: { labels } } : {}) },
    );
  };

  const create = async (
    call: FlowCall,
    workflow: KubeObject & flow.Workflow,
    options: { namespace: string; dryRun: boolean; serverDryRun: boolean; submits: boolean },
  ) => {
    labelInstance(workflow, instanceId);
    labelCreator(workflow, call.claims);
    await validateSpec(parts, call, workflow.spec ?? {}, options);
    if (options.dryRun) return workflow;
    return await live.create(call, options.namespace, workflow, options.serverDryRun);
  };

  async function* logs(request: LogRequest, call: FlowCall) {
    const { client, signal } = call;
    yield* workflowLogs({ client, signal, clock: parts.clock, workflow: await live.get(call, request) }, request);
  }

  return {
    async createWorkflow(request: CreateRequest, call: FlowCall) {
      const { workflow, namespace } = request;
      if (!workflow) throw invalidArgument('workflow body not specified');
      const own = {
        ...workflow,
        metadata: { ...workflow.metadata, namespace: workflow.metadata.namespace || namespace },
      };
      return await create(call, own, {
        namespace,
        dryRun: (request.createOptions?.dryRun?.length ?? 0) > 0,
        serverDryRun: request.serverDryRun === true,
        submits: false,
      });
    },

    async getWorkflow(request: Named & { fields?: string }, call: FlowCall) {
      const choice = new FieldChoice(request.fields);
      const workflow = await live.get(call, request);
      return choice.of(choice.leavesOut('status.nodes') ? workflow : await live.whole(workflow));
    },

    async listWorkflows(request: ListRequest & { fields?: string }, call: FlowCall) {
      const filter = filterOf(request);
      const choice = new FieldChoice(request.fields);
      const { namespace = '' } = filter;
      if (!(await mayDo(call, 'list', { namespace })))
        throw permissionDenied(
          `Permission denied, you are not allowed to list workflows in namespace "${namespace}". Maybe you want to specify a namespace with query parameter \`.namespace=${namespace}\`?`,
        );
      const list = await listWorkflows(parts, call, filter);
      const items: unknown[] = [];
      for (const workflow of list.items as StoredWorkflow[])
        items.push(choice.leavesOut('items.status.nodes') ? workflow : await wholeIfThere(live, workflow));
      return choice.of({
        metadata: { resourceVersion: list.resourceVersion, ...(list.continue ? { continue: list.continue } : {}) },
        items,
      });
    },

    async *watchWorkflows(
      request: { namespace?: string; listOptions?: WireListOptions; fields?: string },
      call: FlowCall,
    ) {
      const choice = new FieldChoice(request.fields, 'result.object.');
      const { listOptions = {}, namespace = '' } = request;
      const name = /(?:^|,)metadata\.name==?([^,]+)/.exec(listOptions.fieldSelector ?? '')?.[1];
      const isLatest = name === '@latest';
      const resolved = isLatest ? (await live.get(call, { namespace, name: '@latest' })).metadata.name : undefined;
      const options = {
        ...listOptions,
        ...(resolved ? { fieldSelector: `metadata.name=${resolved}` } : {}),
        labelSelector: instanceSelector(listOptions.labelSelector, instanceId),
      };
      const kind = { apiVersion: workflowNames.apiVersion, kind: 'Workflow', ...(namespace ? { namespace } : {}) };
      for await (const { type, object } of watchObjects<StoredWorkflow>(call, kind, options)) {
        const whole = choice.leavesOut('status.nodes') ? object : await live.whole(object);
        yield { type, object: choice.of(whole) };
      }
    },

    async *watchEvents(request: { namespace?: string; listOptions?: WireListOptions }, call: FlowCall) {
      const { namespace, listOptions = {} } = request;
      const kind = { apiVersion: 'v1', kind: 'Event', ...(namespace ? { namespace } : {}) };
      const labelSelector = instanceSelector(listOptions.labelSelector, instanceId);
      for await (const { object } of watchObjects(call, kind, { ...listOptions, labelSelector })) yield object;
    },

    async deleteWorkflow(request: Named & { force?: boolean }, call: FlowCall) {
      const { metadata } = await live.get(call, request);
      const named = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      if (request.force) await live.patch(call, named, { metadata: { finalizers: null } });
      await live.delete(call, named);
      return {};
    },

    async retryWorkflow(
      request: Named & { restartSuccessful?: boolean; nodeFieldSelector?: string; parameters?: string[] },
      call: FlowCall,
    ) {
      const found = await live.get(call, request);
      const { workflow, pods } = retried(await live.whole(found), {
        now: parts.clock.now(),
        restartSuccessful: request.restartSuccessful === true,
        ...(request.nodeFieldSelector ? { nodeFieldSelector: request.nodeFieldSelector } : {}),
        parameters: request.parameters ?? [],
      });
      await live.deletePods(call, found.metadata.namespace ?? '', pods);
      const changed = workflow as StoredWorkflow;
      labelActor(changed, call.claims, 'Retry');
      const stored = await live.stored(changed, found.status?.offloadNodeStatusVersion !== undefined);
      return await call.client.update(stored, { signal: call.signal });
    },

    async resubmitWorkflow(request: Named & { memoized?: boolean; parameters?: string[] }, call: FlowCall) {
      const found = await live.whole(await live.get(call, request));
      return await resubmit(parts, live, call, { found, ...request });
    },

    async resumeWorkflow(request: Named & { nodeFieldSelector?: string }, call: FlowCall) {
      const message = resumedBy(call.claims);
      const now = parts.clock.now();
      return await live.change(call, request, (workflow) => {
        const { nodeFieldSelector: selector } = request;
        const changed = (
          selector
            ? withNodesSet(workflow, { selector, phase: 'Succeeded', now, message })
            : resumed(workflow, { now, message })
        ) as StoredWorkflow;
        labelActor(changed, call.claims, 'Resume');
        return changed;
      });
    },

    async suspendWorkflow(request: Named, call: FlowCall) {
      return await live.change(call, request, (workflow) => {
        if (finished.includes(workflow.status?.phase ?? ''))
          throw new RpcError(Code.Internal, 'cannot suspend completed workflows');
        if (workflow.spec?.suspend) return undefined;
        const changed = { ...workflow, spec: { ...workflow.spec, suspend: true } } as StoredWorkflow;
        labelActor(changed, call.claims, 'Suspend');
        return changed;
      });
    },

    terminateWorkflow: (request: Named, call: FlowCall) => shutDown(call, request, 'Terminate'),

    async stopWorkflow(request: Named & { nodeFieldSelector?: string; message?: string }, call: FlowCall) {
      const { nodeFieldSelector: selector, message } = request;
      if (!selector) return await shutDown(call, request, 'Stop');
      const now = parts.clock.now();
      return await live.change(call, request, (workflow) => {
        const changed = withNodesSet(workflow, { selector, phase: 'Failed', now, ...(message ? { message } : {}) });
        labelActor(changed as StoredWorkflow, call.claims, 'Stop');
        return changed as StoredWorkflow;
      });
    },

    async setWorkflow(request: SetRequest, call: FlowCall) {
      const { nodeFieldSelector: selector, message, phase = '' } = request;
      if (!['', 'Succeeded', 'Failed', 'Error'].includes(phase))
        throw invalidArgument(`${phase} is an invalid phase to set to`);
      const outputs = outputsOf(request.outputParameters);
      if (!selector)
        throw new RpcError(
          Code.Internal,
          `'set' currently only targets suspend nodes, use a node field selector to target them`,
        );
      const now = parts.clock.now();
      return await live.change(
        call,
        request,
        (workflow) =>
          withNodesSet(workflow, {
            selector,
            now,
            outputs,
            ...(phase ? { phase: phase as flow.NodePhase } : {}),
            ...(message ? { message } : {}),
          }) as StoredWorkflow,
      );
    },

    async lintWorkflow({ namespace, workflow }: { namespace: string; workflow?: StoredWorkflow }, call: FlowCall) {
      if (!workflow) throw new RpcError(Code.Unknown, 'unable to get a workflow');
      labelInstance(workflow, instanceId);
      labelCreator(workflow, call.claims);
      try {
        await validateSpec(parts, call, workflow.spec ?? {}, { namespace: workflow.metadata.namespace || namespace });
      } catch (error) {
        // upstream gives these no code of their own
        throw new RpcError(Code.Unknown, rpcErrorOf(error).message, { cause: error });
      }
      return workflow;
    },

    podLogs: logs,
    workflowLogs: logs,

    async submitWorkflow(request: SubmitRequest, call: FlowCall) {
      const { namespace, submitOptions: options = {} } = request;
      const source = await sourceOf(call, request);
      await giveArtifacts(parts, call, { namespace, workflow: source, artifacts: options.artifacts ?? [] });
      const workflow = submitted(source, {
        name: options.name,
        generateName: options.generateName,
        entrypoint: options.entrypoint,
        serviceAccount: options.serviceAccount,
        priority: options.priority,
        parameters: options.parameters ?? [],
        artifacts: options.artifacts ?? [],
        labels: pairsOf(options.labels),
        annotations: pairsOf(options.annotations),
        podPriorityClassName: options.podPriorityClassName,
        ownerReference: options.ownerReference,
      }) as StoredWorkflow;
      return await create(call, workflow, {
        namespace,
        dryRun: options.dryRun === true,
        serverDryRun: options.serverDryRun === true,
        submits: true,
      });
    },
  };
}

/** Runs a workflow again from the start, or from what failed with `memoized`. */
export async function resubmit(
  parts: ServerParts,
  live: LiveWorkflows,
  call: FlowCall,
  options: { found: StoredWorkflow; namespace: string; memoized?: boolean; parameters?: readonly string[] },
) {
  const workflow = resubmitted(options.found, options.parameters ?? [], {
    memoized: options.memoized === true,
  }) as StoredWorkflow;
  labelCreator(workflow, call.claims);
  await validateSpec(parts, call, workflow.spec ?? {}, { namespace: options.namespace, submits: true });
  return await live.create(call, options.namespace, await live.stored(workflow, false));
}

async function wholeIfThere(live: LiveWorkflows, workflow: StoredWorkflow): Promise<StoredWorkflow> {
  try {
    return await live.whole(workflow);
  } catch (error) {
    // one whose nodes were taken away must not hide the others
    if (error instanceof RpcError) return workflow;
    throw error;
  }
}

async function sourceOf({ client, signal }: FlowCall, request: SubmitRequest): Promise<flow.Workflow> {
  const { resourceName: name = '', namespace } = request;
  const names: Readonly<Record<string, string>> = {
    wftmpl: 'workflowtemplate',
    cwft: 'clusterworkflowtemplate',
    cwf: 'cronworkflow',
    cronwf: 'cronworkflow',
  };
  const { resourceKind = '' } = request;
  const lower = resourceKind.toLowerCase();
  switch (names[lower] ?? lower.replace(/s$/, '')) {
    case 'cronworkflow': {
      const cron = await client.find<KubeObject & flow.CronWorkflow>(
        { apiVersion: workflowNames.apiVersion, kind: 'CronWorkflow', namespace, name },
        { signal },
      );
      if (!cron) throw notFound(`cronworkflows.argoproj.io "${name}" not found`);
      return workflowFrom({ cron });
    }
    case 'workflowtemplate':
      return workflowFrom({ template: name });
    case 'clusterworkflowtemplate':
      return workflowFrom({ clusterTemplate: name });
    default:
      throw invalidArgument(`Resource kind '${resourceKind}' is not supported for submitting`);
  }
}

function outputsOf(json: string | undefined): Record<string, string> {
  if (!json) return {};
  try {
    const value: unknown = JSON.parse(json);
    if (value !== null && typeof value === 'object' && Object.values(value).every((each) => typeof each === 'string'))
      return value as Record<string, string>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidArgument('unable to parse output parameter set request: it must be a JSON object of texts');
}

function pairsOf(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (text ?? '')
      .split(',')
      .filter(Boolean)
      .map((pair) => {
        const at = pair.indexOf('=');
        if (at < 1)
          throw new RpcError(
            Code.Internal,
            `expected labels of the form: NAME1=VALUE2,NAME2=VALUE2. Received: ${text}`,
          );
        return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
      }),
  );
}
