import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startWorkflowsFamily } from '@tiphys/workflows';
import { executorProgram } from '../index.ts';

const namespace = 'default';

export interface ProcessFlowsOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Data of workflow-controller-configmap; there is none if absent. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A sandbox that runs pods as processes of this machine, with the controller of workflows and our executor; all in the namespace `default`. */
export class ProcessFlows {
  readonly namespace = namespace;
  readonly client: Client;
  /** What the controller has told so far. */
  readonly errors: readonly string[];
  readonly #closers: (() => Promise<void> | void)[];

  static async start({ env = {}, settings }: ProcessFlowsOptions = {}): Promise<ProcessFlows> {
    const sandbox = await startSandbox({ runtime: 'process' });
    const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'plugins' } });
    const abort = new AbortController();
    const errors: string[] = [];
    await client.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'executors' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
    } as KubeObject);
    if (settings)
      await client.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'workflow-controller-configmap', namespace },
        data: settings,
      } as KubeObject);
    const runtime = await startWorkflowsFamily({
      client,
      clock: systemClock,
      signal: abort.signal,
      namespace,
      env,
      sandbox: false,
      simulated: false,
      executorImage: 'executor',
      localExecutor: [process.execPath, executorProgram],
      onError: (key, error) => void errors.push(`${key}: ${String(error)}`),
    });
    return new ProcessFlows(client, errors, [
      () => abort.abort(new Error('over')),
      () => runtime.close(),
      () => client.close(),
      () => sandbox.close(),
    ]);
  }

  private constructor(client: Client, errors: readonly string[], closers: (() => Promise<void> | void)[]) {
    this.client = client;
    this.errors = errors;
    this.#closers = closers;
  }

  /** Submits a workflow, and gives it as it is when the condition holds. */
  async reached<Flow extends KubeObject>(name: string, spec: object, holds: (flow: Flow) => boolean): Promise<Flow> {
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace };
    const created = await this.client.create({ ...ref, metadata: { name, namespace }, spec } as KubeObject);
    const signal = AbortSignal.timeout(300_000);
    const resourceVersion = created.metadata.resourceVersion ?? '';
    for await (const { object } of this.client.watch<Flow>(ref, { resourceVersion, signal }))
      if (object.metadata.name === name && holds(object)) return object;
    throw new Error(`the watch ended: ${this.errors.join('\n')}`);
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close();
  }
}
