import { type flow, workflowNames } from '@tiphys/api';
import { isConflict, isNotFound, type KubeObject, youngestFirst } from '@tiphys/kubernetes';
import { Code, notFound, permissionDenied, RpcError } from '@tiphys/server';
import { packNodes, unpackNodes } from '@tiphys/workflows';
import { type FlowCall, mayDo } from './caller.ts';
import { isOfInstance } from './labels.ts';
import type { ServerParts } from './server-parts.ts';

export type StoredWorkflow = KubeObject & flow.Workflow;

export interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

const kind = { apiVersion: workflowNames.apiVersion, kind: 'Workflow' } as const;
/** Names the workflow that was created last. */
const latest = '@latest';
/** How often a change is made anew when somebody else was faster. */
const attempts = 5;

/** What is done with one workflow of the cluster, with the rights of the caller. */
export class LiveWorkflows {
  readonly #parts: ServerParts;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** The workflow, of the archive if it is not in the cluster any more. Throws NotFound, and InvalidArgument for one of another controller. */
  async get(call: FlowCall, named: Named): Promise<StoredWorkflow> {
    const workflow = named.name === latest ? await this.#latest(call, named.namespace) : await this.#find(call, named);
    if (!isOfInstance(workflow, this.#parts.settings.instanceId))
      throw new RpcError(Code.InvalidArgument, `'${workflow.metadata.name}' is not managed by the current Argo Server`);
    return workflow;
  }

  /** The same with its nodes, wherever they are kept. */
  async whole(workflow: StoredWorkflow): Promise<StoredWorkflow> {
    const version = workflow.status?.offloadNodeStatusVersion;
    if (!version) return unpackNodes(workflow) as StoredWorkflow;
    const { nodes } = this.#parts;
    const loaded = await nodes?.load({ uid: workflow.metadata.uid ?? '', version });
    if (!loaded)
      throw new RpcError(
        Code.Internal,
        nodes
          ? `the nodes of ${workflow.metadata.name} (version ${version}) are not in the database any more`
          : 'Workflow has offloaded nodes, but offloading has been disabled: set persistence in workflow-controller-configmap',
      );
    const { offloadNodeStatusVersion, ...status } = workflow.status ?? {};
    return { ...workflow, status: { ...status, nodes: loaded } } as StoredWorkflow;
  }

  /** The inverse of `whole`, for writing: nodes that were kept in the database are kept there again. */
  async stored(workflow: StoredWorkflow, wasOffloaded: boolean): Promise<StoredWorkflow> {
    const { nodes, clock, packing } = this.#parts;
    if (!wasOffloaded || !nodes || !workflow.status?.nodes) return packNodes(workflow, packing) as StoredWorkflow;
    const { nodes: plain, ...status } = workflow.status;
    const { uid = '', namespace = '' } = workflow.metadata;
    const version = await nodes.save({ uid, namespace }, plain, clock.now());
    return { ...workflow, status: { ...status, offloadNodeStatusVersion: version } } as StoredWorkflow;
  }

  /** Reads, changes and writes a workflow, anew when somebody else was faster. `undefined` of `work` writes nothing. */
  async change(
    call: FlowCall,
    named: Named,
    work: (workflow: StoredWorkflow) => StoredWorkflow | undefined,
  ): Promise<StoredWorkflow> {
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.get(call, named);
      const wasOffloaded = found.status?.offloadNodeStatusVersion !== undefined;
      const changed = work(await this.whole(found));
      if (!changed) return found;
      try {
        return await call.client.update(await this.stored({ ...changed, ...kind }, wasOffloaded), {
          signal: call.signal,
        });
      } catch (error) {
        if (!isConflict(error) || attempt === attempts) throw error;
      }
    }
  }

  patch(call: FlowCall, { namespace, name }: Named, body: object): Promise<StoredWorkflow> {
    return call.client.patch<StoredWorkflow>({ ...kind, namespace, name }, 'merge', body, { signal: call.signal });
  }

  create(call: FlowCall, namespace: string, workflow: KubeObject, dryRun = false): Promise<StoredWorkflow> {
    const { metadata } = workflow;
    const object = { ...workflow, ...kind, metadata: { ...metadata, namespace: metadata.namespace || namespace } };
    return call.client.create(object, { signal: call.signal, dryRun }) as Promise<StoredWorkflow>;
  }

  async delete(call: FlowCall, { namespace, name }: Named): Promise<void> {
    const { deletePropagation: propagationPolicy } = this.#parts;
    await call.client.delete({ ...kind, namespace, name }, { propagationPolicy, signal: call.signal });
  }

  async deletePods(call: FlowCall, namespace: string, pods: readonly string[]): Promise<void> {
    for (const name of pods) {
      try {
        await call.client.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name }, { signal: call.signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  async #find(call: FlowCall, { namespace, name, uid }: Named): Promise<StoredWorkflow> {
    let failure: unknown;
    try {
      const found = await call.client.get<StoredWorkflow>({ ...kind, namespace, name }, { signal: call.signal });
      if (!uid || found.metadata.uid === uid) return found;
    } catch (error) {
      failure = error;
    }
    const { archive } = this.#parts;
    if (failure !== undefined && (!archive || !isNotFound(failure))) throw failure;
    if (!(await mayDo(call, 'get', { namespace, name }))) throw failure ?? permissionDenied();
    const archived = await archive?.find({ ...(uid ? { uid } : {}), namespace, name });
    if (archived) return { ...archived, ...kind } as StoredWorkflow;
    throw failure ?? notFound(`workflows.argoproj.io "${name}" not found`);
  }

  async #latest({ client, signal }: FlowCall, namespace: string): Promise<StoredWorkflow> {
    const { items } = await client.list<StoredWorkflow>({ ...kind, namespace }, { signal });
    const newest = items.toSorted(youngestFirst)[0];
    if (!newest) throw notFound('no workflows found');
    return newest;
  }
}
