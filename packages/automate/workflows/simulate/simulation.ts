import { LockTable } from '../locks/lock-table.ts';
import { type Action, type ConfigMap, type Facts, operate } from '../machine/index.ts';
import { isCompletedWorkflow } from '../model/phases.ts';
import type { MachineSettings } from '../model/settings.ts';
import { timestamp } from '../model/time.ts';
import type { Pod, Workflow, WorkflowTaskSet, WorkflowTemplate } from '../model/types.ts';
import type { Fate } from './fate.ts';
import { SimulatedPod } from './simulated-pod.ts';
import { simulatedTask, taskResult } from './simulated-task.ts';

export interface SimulationOptions {
  readonly workflow: Workflow;
  /** What becomes of each pod; ends well after a second if nothing is said. */
  readonly fate?: (pod: Pod) => Fate | undefined;
  readonly templates?: readonly WorkflowTemplate[];
  readonly configMaps?: readonly ConfigMap[];
  readonly settings?: Partial<MachineSettings>;
  /** Milliseconds since the epoch. */
  readonly start?: number;
  /** Locks that are shared with other simulations. */
  readonly locks?: LockTable;
}

export interface SimulatedChange {
  /** Seconds since the start. */
  readonly at: number;
  readonly node: string;
  readonly from: string;
  readonly to: string;
  readonly message: string;
}

const epoch = Date.parse('2026-01-01T00:00:00Z');

/** Runs a workflow on a clock of its own, without a cluster: each step is what the controller would do. */
export class Simulation {
  workflow: Workflow;
  now: number;
  readonly start: number;
  readonly pods = new Map<string, SimulatedPod>();
  readonly configMaps = new Map<string, ConfigMap>();
  readonly changes: SimulatedChange[] = [];
  readonly actions: Action[] = [];
  readonly locks: LockTable;
  readonly #options: SimulationOptions;
  readonly #results = new Map<string, SimulatedPod>();
  /** What an agent does, by id of the node. */
  readonly #tasks = new Map<string, SimulatedPod>();
  #requeueAt: number | undefined;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.start = options.start ?? epoch;
    this.now = this.start;
    this.locks = options.locks ?? new LockTable();
    this.workflow = structuredClone(options.workflow);
    const { metadata } = this.workflow;
    metadata.namespace ??= 'default';
    metadata.name ??= `${metadata.generateName ?? 'workflow-'}simulated`;
    metadata.uid ??= '00000000-0000-4000-8000-000000000000';
    metadata.creationTimestamp ??= timestamp(this.start);
    for (const map of options.configMaps ?? [])
      this.configMaps.set(`${map.metadata.namespace ?? metadata.namespace}/${map.metadata.name}`, map);
  }

  get isOver(): boolean {
    return isCompletedWorkflow(this.workflow.status?.phase);
  }

  /** When the last decision asked for the next one, in milliseconds since the epoch; undefined if it waits for news alone. */
  get asksAt(): number | undefined {
    return this.#requeueAt;
  }

  /** One decision and what follows from it, at the present time. True if anything changed. */
  step(): boolean {
    const before = this.workflow;
    const { workflow, actions, requeueAt } = operate(before, this.facts());
    this.#requeueAt = requeueAt;
    const pods = this.pods.size;
    for (const action of actions) this.#do(action, workflow);
    this.#note(before, workflow);
    this.workflow = workflow;
    return this.pods.size !== pods || JSON.stringify(before.status) !== JSON.stringify(workflow.status);
  }

  /** A decision of a controller that dies before it can write it: what comes before the write was done. */
  die(): void {
    const { actions } = operate(this.workflow, this.facts());
    for (const action of actions) if (action.kind === 'create-pod' || action.kind === 'save-memo') this.#do(action);
  }

  /** Runs until the workflow has ended, waits for a person, or the limit of time is over. */
  run(seconds = 86_400): this {
    const limit = this.start + seconds * 1000;
    while (!this.isOver && this.now <= limit) {
      for (let steps = 0; this.step() && !this.isOver; steps += 1)
        if (steps > 10_000) throw new Error('The workflow does not come to rest: its status changes without end');
      const next = this.nextTime();
      if (next === undefined) break;
      this.now = next;
    }
    return this;
  }

  /** The next time at which something happens by itself. */
  nextTime(): number | undefined {
    const times = [...this.pods.values(), ...this.#tasks.values()].map((pod) => pod.changesAt(this.now));
    if (this.#requeueAt !== undefined && this.#requeueAt > this.now) times.push(this.#requeueAt);
    const known = times.filter((time) => time !== undefined);
    return known.length > 0 ? Math.min(...known) : undefined;
  }

  facts(): Facts {
    const { settings, templates = [] } = this.#options;
    const shown = [...this.pods.values()].map((pod) => pod.at(this.now)).filter((pod) => pod !== undefined);
    const reporting = [...this.#results.values()];
    return {
      now: this.now,
      settings: { executorImage: 'argoexec', progressPatchTick: '0s', ...settings },
      pods: shown,
      taskResults: reporting.map((pod) => pod.resultAt(this.now)).filter((result) => result !== undefined),
      taskSet: this.#taskSet(),
      locks: this.locks,
      template: (scope, name) =>
        templates.find(
          ({ kind, metadata }) =>
            metadata.name === name && kind === (scope === 'cluster' ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'),
        ),
      configMap: (namespace, name) => this.configMaps.get(`${namespace}/${name}`),
      gcTasks: () => [],
      imageCommand: () => ({ entrypoint: ['run'] }),
    };
  }

  #do(action: Action, decided = this.workflow): void {
    this.actions.push(action);
    if (action.kind === 'create-pod') this.#create(action.pod);
    else if (action.kind === 'terminate-pod') this.pods.get(action.pod)?.terminate(this.now);
    else if (action.kind === 'delete-pod') this.pods.delete(action.pod);
    else if (action.kind === 'set-tasks') {
      for (const [id, template] of Object.entries(action.tasks)) this.#begin(simulatedTask(decided, { id, template }));
    } else if (action.kind === 'save-memo') {
      const key = `${this.workflow.metadata.namespace}/${action.configMap}`;
      const map = this.configMaps.get(key);
      const labels = { 'workflows.argoproj.io/configmap-type': 'Cache' };
      this.configMaps.set(key, {
        metadata: { name: action.configMap, labels },
        data: { ...map?.data, [action.key]: action.entry },
      });
    }
  }

  #create(pod: Pod): void {
    const name = pod.metadata.name ?? '';
    const earlier = this.pods.get(name);
    if (earlier?.at(this.now)) return;
    const made = { ...pod, metadata: { ...pod.metadata, uid: `uid-of-${name}-${this.now}` } };
    const simulated = new SimulatedPod(made, earlier ? {} : (this.#options.fate?.(pod) ?? {}), this.now);
    this.pods.set(name, simulated);
    this.#results.set(name, simulated);
  }

  #begin(task: Pod): void {
    const { name: id = '' } = task.metadata;
    if (!this.#tasks.has(id)) this.#tasks.set(id, new SimulatedPod(task, this.#options.fate?.(task) ?? {}, this.now));
  }

  #taskSet(): WorkflowTaskSet | undefined {
    if (this.#tasks.size === 0) return undefined;
    const { name, namespace } = this.workflow.metadata;
    const results = [...this.#tasks].map(([id, task]) => [id, taskResult(task, this.now)] as const);
    const nodes = Object.fromEntries(results.flatMap(([id, result]) => (result ? [[id, result] as const] : [])));
    return { metadata: { name, namespace }, status: { nodes } } as WorkflowTaskSet;
  }

  #note(before: Workflow, after: Workflow): void {
    const at = (this.now - this.start) / 1000;
    const old = before.status?.nodes ?? {};
    for (const node of Object.values(after.status?.nodes ?? {})) {
      const from = old[node.id]?.phase ?? '';
      if (from !== node.phase)
        this.changes.push({ at, node: node.name, from, to: node.phase ?? '', message: node.message ?? '' });
    }
    const from = before.status?.phase ?? '';
    const { phase = '', message = '' } = after.status ?? {};
    if (from !== phase) this.changes.push({ at, node: '', from, to: phase, message });
  }
}
