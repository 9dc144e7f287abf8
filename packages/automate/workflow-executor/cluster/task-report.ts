import { workflowNames } from '@tiphys/api';
import { type Clock, isAlreadyExists, isNotFound } from '@tiphys/kubernetes';
import type { PodContext } from '../pod/pod-context.ts';
import type { Outputs } from '../pod/template.ts';
import type { Cluster } from './open-cluster.ts';
import { persist } from './persist.ts';

/** What a node reports of itself. */
export interface NodeReport {
  readonly outputs?: Outputs;
  readonly progress?: string;
}

const { labels } = workflowNames;

/** The WorkflowTaskResult of a node: the controller takes outputs and progress from it, and waits until it says that it is complete. */
export class TaskReport {
  readonly #cluster: Cluster;
  readonly #context: PodContext;
  readonly #clock: Clock;
  readonly #path: string;
  #isCreated = false;

  constructor(cluster: Cluster, context: PodContext, clock: Clock) {
    this.#cluster = cluster;
    this.#context = context;
    this.#clock = clock;
    this.#path = `/apis/${workflowNames.apiVersion}/namespaces/${cluster.namespace}/workflowtaskresults`;
  }

  async write(report: NodeReport): Promise<void> {
    await persist('report the outputs', () => this.#upsert(report), this.#clock);
  }

  /** Says that nothing more will come. */
  async complete(): Promise<void> {
    const body = { metadata: { labels: { [labels.outputsReported]: 'true' } } };
    await persist('report the end', () => this.#patch(body), this.#clock);
  }

  async #upsert(report: NodeReport): Promise<void> {
    if (this.#isCreated) {
      try {
        await this.#patch(report);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await this.#create(report);
      }
      return;
    }
    try {
      await this.#create(report);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#patch(report);
    }
    this.#isCreated = true;
  }

  async #create(report: NodeReport): Promise<void> {
    const { workflow, nodeId, instanceId } = this.#context;
    await this.#cluster.client.request('POST', this.#path, {
      body: {
        apiVersion: workflowNames.apiVersion,
        kind: 'WorkflowTaskResult',
        metadata: {
          name: nodeId,
          labels: {
            [labels.workflow]: workflow.name,
            [labels.outputsReported]: 'false',
            ...(instanceId ? { [labels.instance]: instanceId } : {}),
          },
          ownerReferences: [
            { apiVersion: workflowNames.apiVersion, kind: 'Workflow', name: workflow.name, uid: workflow.uid },
          ],
        },
        ...report,
      },
    });
  }

  async #patch(body: object): Promise<void> {
    await this.#cluster.client.request('PATCH', `${this.#path}/${this.#context.nodeId}`, {
      body,
      contentType: 'application/merge-patch+json',
    });
  }
}
