import { type flow, workflowNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { invalidArgument, notFound, RpcError, rpcErrorOf } from '@tiphys/server';
import { cronProblems } from '@tiphys/workflows';
import type { FlowCall } from '../common/caller.ts';
import { instanceSelector, isOfInstance, labelActor, labelCreator, labelInstance } from '../common/labels.ts';
import type { ListRequest, WireListOptions } from '../common/list-options.ts';
import type { ServerParts } from '../common/server-parts.ts';
import { validateSpec } from '../common/validation.ts';

type Template = KubeObject & flow.WorkflowTemplate;
type Cron = KubeObject & flow.CronWorkflow;

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

interface TemplateRequest {
  readonly namespace?: string;
  readonly name?: string;
  readonly template?: Template;
}

interface CronRequest {
  readonly namespace: string;
  readonly name?: string;
  readonly cronWorkflow?: Cron;
}

type Kind = 'WorkflowTemplate' | 'ClusterWorkflowTemplate' | 'CronWorkflow';

const apiVersion = workflowNames.apiVersion;

/** What the three kinds have in common. */
class Stored<T extends KubeObject> {
  readonly #kind: Kind;
  readonly #instanceId: string;

  constructor(kind: Kind, { settings }: ServerParts) {
    this.#kind = kind;
    this.#instanceId = settings.instanceId;
  }

  ref(namespace: string | undefined): { apiVersion: string; kind: Kind; namespace?: string } {
    const isCluster = this.#kind === 'ClusterWorkflowTemplate';
    return { apiVersion, kind: this.#kind, ...(namespace && !isCluster ? { namespace } : {}) };
  }

  async get({ client, signal }: FlowCall, { namespace, name }: Named): Promise<T> {
    const found = await client.get<T>({ ...this.ref(namespace), name }, { signal });
    if (!isOfInstance(found, this.#instanceId))
      throw invalidArgument(`'${name}' is not managed by the current Argo Server`);
    return found;
  }

  async create(call: FlowCall, object: T, namespace: string | undefined): Promise<T> {
    const { metadata } = object;
    const scope = this.ref(metadata.namespace || namespace).namespace;
    const own = {
      ...object,
      ...this.ref(undefined),
      metadata: { ...metadata, ...(scope ? { namespace: scope } : {}) },
    };
    return (await call.client.create(own, { signal: call.signal })) as T;
  }

  async update(call: FlowCall, object: T, namespace: string | undefined): Promise<T> {
    await this.get(call, { name: object.metadata.name ?? '', ...(namespace ? { namespace } : {}) });
    labelActor(object, call.claims, 'Update');
    const scope = this.ref(object.metadata.namespace || namespace).namespace;
    const own = {
      ...object,
      ...this.ref(undefined),
      metadata: { ...object.metadata, ...(scope ? { namespace: scope } : {}) },
    };
    return (await call.client.update(own, { signal: call.signal })) as T;
  }

  async delete(call: FlowCall, named: Named): Promise<void> {
    await this.get(call, named);
    await call.client.delete({ ...this.ref(named.namespace), name: named.name }, { signal: call.signal });
  }

  async list({ client, signal }: FlowCall, namespace: string | undefined, options: WireListOptions = {}) {
    const list = await client.list<T>(this.ref(namespace), {
      labelSelector: instanceSelector(options.labelSelector, this.#instanceId),
      signal,
      ...(options.fieldSelector ? { fieldSelector: options.fieldSelector } : {}),
      ...(options.limit ? { limit: Number(options.limit) } : {}),
      ...(options.continue ? { continue: options.continue } : {}),
      ...(options.resourceVersion ? { resourceVersion: options.resourceVersion } : {}),
    });
    return { metadata: list.metadata, items: list.items };
  }

  label(object: T, call: FlowCall): void {
    labelInstance(object, this.#instanceId);
    labelCreator(object, call.claims);
  }
}

/** `workflowtemplate.WorkflowTemplateService`. */
export function templateService(parts: ServerParts) {
  const stored = new Stored<Template>('WorkflowTemplate', parts);
  const given = ({ template }: TemplateRequest): Template => {
    if (!template) throw invalidArgument('workflow template was not found in the request body');
    return template;
  };
  const check = (call: FlowCall, template: Template, namespace: string | undefined) =>
    validateSpec(parts, call, template.spec, { namespace: namespace ?? '', isTemplate: true });
  return {
    async createWorkflowTemplate(request: TemplateRequest, call: FlowCall) {
      const template = given(request);
      stored.label(template, call);
      await check(call, template, request.namespace);
      return await stored.create(call, template, request.namespace);
    },
    getWorkflowTemplate: (request: Named, call: FlowCall) => stored.get(call, request),
    async listWorkflowTemplates(request: ListRequest & { namePattern?: string }, call: FlowCall) {
      const { listOptions = {}, namePattern } = request;
      const name = /(?:^|,)metadata\.name==?([^,]+)/.exec(listOptions.fieldSelector ?? '')?.[1];
      const contains = namePattern || (request.nameFilter === 'Contains' ? name : undefined);
      const { fieldSelector, ...others } = listOptions;
      const list = await stored.list(call, request.namespace, contains ? others : listOptions);
      return contains
        ? { ...list, items: list.items.filter(({ metadata }) => metadata.name?.includes(contains)) }
        : list;
    },
    async updateWorkflowTemplate(request: TemplateRequest, call: FlowCall) {
      const template = given(request);
      await check(call, template, request.namespace);
      return await stored.update(call, template, request.namespace);
    },
    async deleteWorkflowTemplate(request: Named, call: FlowCall) {
      await stored.delete(call, request);
      return {};
    },
    async lintWorkflowTemplate(request: TemplateRequest, call: FlowCall) {
      const template = given(request);
      stored.label(template, call);
      await check(call, template, request.namespace);
      return template;
    },
  };
}

/** `clusterworkflowtemplate.ClusterWorkflowTemplateService`. */
export function clusterTemplateService(parts: ServerParts) {
  const stored = new Stored<Template>('ClusterWorkflowTemplate', parts);
  const given = ({ template }: TemplateRequest): Template => {
    if (!template) throw invalidArgument('cluster workflow template was not found in the request body');
    return template;
  };
  const check = (call: FlowCall, template: Template) =>
    validateSpec(parts, call, template.spec, { namespace: parts.managedNamespace ?? '', isTemplate: true });
  return {
    async createClusterWorkflowTemplate(request: TemplateRequest, call: FlowCall) {
      const template = given(request);
      stored.label(template, call);
      await check(call, template);
      return await stored.create(call, template, undefined);
    },
    getClusterWorkflowTemplate: (request: Named, call: FlowCall) => stored.get(call, request),
    listClusterWorkflowTemplates: (request: ListRequest, call: FlowCall) =>
      stored.list(call, undefined, request.listOptions),
    async updateClusterWorkflowTemplate(request: TemplateRequest, call: FlowCall) {
      const template = given(request);
      await check(call, template);
      return await stored.update(call, template, undefined);
    },
    async deleteClusterWorkflowTemplate(request: Named, call: FlowCall) {
      await stored.delete(call, request);
      return {};
    },
    async lintClusterWorkflowTemplate(request: TemplateRequest, call: FlowCall) {
      const template = given(request);
      stored.label(template, call);
      await check(call, template);
      return template;
    },
  };
}

/** `cronworkflow.CronWorkflowService`. */
export function cronService(parts: ServerParts) {
  const stored = new Stored<Cron>('CronWorkflow', parts);
  const given = ({ cronWorkflow }: CronRequest): Cron => {
    if (!cronWorkflow) throw notFound('cron workflow was not found in the request body');
    return cronWorkflow;
  };
  const check = async (call: FlowCall, cron: Cron, namespace: string) => {
    const [problem] = cronProblems(cron, parts.clock.now());
    if (problem) throw invalidArgument(problem);
    try {
      await validateSpec(parts, call, cron.spec.workflowSpec, { namespace, submits: true });
    } catch (error) {
      const { code, message } = rpcErrorOf(error);
      throw new RpcError(code, `cannot validate Workflow: ${message}`, { cause: error });
    }
  };
  const suspend = (call: FlowCall, { namespace, name }: Named, wanted: boolean) =>
    call.client.patch(
      { ...stored.ref(namespace), name },
      'merge',
      { spec: { suspend: wanted } },
      { signal: call.signal },
    );
  return {
    async lintCronWorkflow(request: CronRequest, call: FlowCall) {
      const cron = given(request);
      stored.label(cron, call);
      await check(call, cron, request.namespace);
      return cron;
    },
    async createCronWorkflow(request: CronRequest, call: FlowCall) {
      const cron = given(request);
      stored.label(cron, call);
      await check(call, cron, request.namespace);
      return await stored.create(call, cron, request.namespace);
    },
    listCronWorkflows: (request: ListRequest, call: FlowCall) =>
      stored.list(call, request.namespace, request.listOptions),
    getCronWorkflow: (request: Named, call: FlowCall) => stored.get(call, request),
    async updateCronWorkflow(request: CronRequest, call: FlowCall) {
      const cron = given(request);
      await check(call, cron, request.namespace);
      return await stored.update(call, cron, request.namespace);
    },
    async deleteCronWorkflow(request: Named, call: FlowCall) {
      await stored.delete(call, request);
      return {};
    },
    resumeCronWorkflow: (request: Named, call: FlowCall) => suspend(call, request, false),
    suspendCronWorkflow: (request: Named, call: FlowCall) => suspend(call, request, true),
  };
}
