import { type flow, workflowNames } from '@tiphys/api';
import { type Client, type Clock, isConflict, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { packNodes, unpackNodes } from '../controller/persistence/nodes-codec.ts';
import type { CronWorkflow, Workflow } from '../model/types.ts';
import { resubmitted } from './resubmit.ts';
import { type RetryOptions, retried } from './retry.ts';
import { type NodeChange, resumed, waits, withNodesSet } from './set-nodes.ts';
import { VerbError } from './submit.ts';
import { workflowFrom } from './workflow-from.ts';

type Stored = KubeObject & flow.Workflow;

export interface WorkflowVerbsOptions {
  /** Acts with the rights of the caller. */
  readonly client: Client;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal?: AbortSignal | undefined;
}

export interface NamedWorkflow {
  readonly namespace: string;
  readonly name: string;
}

const { apiVersion } = workflowNames;
const kind = { apiVersion, kind: 'Workflow' } as const;
const finished: readonly string[] = ['Succeeded', 'Failed', 'Error'];
/** How often a change is made anew when somebody else was faster. */
const attempts = 5;

/**
 * What people do with workflows, straight on a cluster, as `argo` without a server. Everything throws a `VerbError` for what cannot be
 * done with the workflow as it is, and gives the workflow as it was written.
 */
export class WorkflowVerbs {
  readonly #options: WorkflowVerbsOptions;

  constructor(options: WorkflowVerbsOptions) {
    this.#options = options;
  }

  create(workflow: Workflow): Promise<Stored> {
    return this.#options.client.create({ ...packNodes(workflow), ...kind } as Stored, this.#request());
  }

  /** A workflow of a WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow of this namespace, not yet created. */
  async from(ownerKind: string, { namespace, name }: NamedWorkflow): Promise<Workflow> {
    const { client, clock } = this.#options;
    const found = await this.#source(ownerKind, { namespace, name }, client, clock.now());
    return { ...found, metadata: { ...found.metadata, namespace } };
  }

  suspend(named: NamedWorkflow): Promise<Stored> {
    return this.#change(named, (workflow) => {
      if (isFinished(workflow)) throw new VerbError('cannot suspend completed workflows', { isBadRequest: true });
      return workflow.spec.suspend ? undefined : { ...workflow, spec: { ...workflow.spec, suspend: true } };
    });
  }

  /** Goes on with nodes that wait: all, or the selected ones. */
  resume(named: NamedWorkflow, selector?: string): Promise<Stored> {
    const now = this.#options.clock.now();
    return this.#changeWhole(named, (workflow) => {
      if (selector) return withNodesSet(workflow, { selector, phase: 'Succeeded', now });
      if (!waits(workflow)) throw new VerbError(`workflow ${named.name} is not suspended, and no node of it waits`);
      return resumed(workflow, { now });
    });
  }

  /** Stops the workflow, or lets selected nodes that wait fail. */
  stop(named: NamedWorkflow, { selector, message }: Pick<NodeChange, 'selector' | 'message'> = {}): Promise<Stored> {
    if (!selector) return this.#shutDown(named, 'Stop');
    return this.setNodes(named, { selector, phase: 'Failed', ...(message ? { message } : {}) });
  }

  terminate(named: NamedWorkflow): Promise<Stored> {
    return this.#shutDown(named, 'Terminate');
  }

  setNodes(named: NamedWorkflow, change: Omit<NodeChange, 'now'>): Promise<Stored> {
    const now = this.#options.clock.now();
    return this.#changeWhole(named, (workflow) => withNodesSet(workflow, { ...change, now }));
  }

  /** Runs again what failed, after its pods are deleted. */
  async retry(named: NamedWorkflow, options: Omit<RetryOptions, 'now'> = {}): Promise<Stored> {
    const { client, clock } = this.#options;
    const { workflow, pods } = retried(whole(await this.#find(named)), { ...options, now: clock.now() });
    for (const name of pods)
      try {
        await client.delete({ apiVersion: 'v1', kind: 'Pod', namespace: named.namespace, name }, this.#request());
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    return client.update(packNodes(workflow) as Stored, this.#request());
  }

  /** A new workflow like another one, not yet created. */
  async resubmission(
    named: NamedWorkflow,
    { parameters = [], memoized = false }: { parameters?: readonly string[]; memoized?: boolean } = {},
  ): Promise<Workflow> {
    return resubmitted(whole(await this.#find(named)), parameters, { memoized });
  }

  async #source(ownerKind: string, { namespace, name }: NamedWorkflow, client: Client, now: number): Promise<Workflow> {
    switch (ownerKind.toLowerCase()) {
      case 'workflowtemplate':
        return workflowFrom({ template: name });
      case 'clusterworkflowtemplate':
        return workflowFrom({ clusterTemplate: name });
      case 'cronworkflow': {
        const ref = { apiVersion, kind: 'CronWorkflow', namespace, name };
        const cron = await client.get<KubeObject & CronWorkflow>(ref, this.#request());
        return workflowFrom({ cron, now });
      }
      default:
        throw new VerbError(
          `invalid kind ${ownerKind}; a workflow is made of a WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow`,
        );
    }
  }

  #shutDown(named: NamedWorkflow, shutdown: 'Stop' | 'Terminate'): Promise<Stored> {
    return this.#change(named, (workflow) => {
      if (isFinished(workflow)) throw new VerbError(`cannot shutdown a completed workflow: ${named.name}`);
      return { ...workflow, spec: { ...workflow.spec, shutdown } };
    });
  }

  /** Changes the workflow and its nodes. */
  #changeWhole(named: NamedWorkflow, work: (workflow: Stored) => Workflow): Promise<Stored> {
    return this.#change(named, (found) => packNodes(work(whole(found))));
  }

  /** Reads, changes and writes a workflow, anew when somebody else was faster. `undefined` of `work` writes nothing. */
  async #change(named: NamedWorkflow, work: (workflow: Stored) => Workflow | undefined): Promise<Stored> {
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.#find(named);
      const changed = work(found);
      if (!changed) return found;
      try {
        return await this.#options.client.update(changed as Stored, this.#request());
      } catch (error) {
        if (!isConflict(error) || attempt === attempts) throw error;
      }
    }
  }

  #find(named: NamedWorkflow): Promise<Stored> {
    return this.#options.client.get<Stored>({ ...kind, ...named }, this.#request());
  }

  #request(): { signal?: AbortSignal } {
    const { signal } = this.#options;
    return signal ? { signal } : {};
  }
}

/** With its nodes. Those that the controller keeps in its database are the server's alone. */
function whole(workflow: Stored): Stored {
  if (!workflow.status?.offloadNodeStatusVersion) return unpackNodes(workflow) as Stored;
  throw new VerbError(
    `the nodes of ${workflow.metadata.name} are kept in the database of the workflow controller: change it through the workflow server (argo, or the page)`,
  );
}

function isFinished({ status }: Workflow): boolean {
  return finished.includes(status?.phase ?? '');
}
