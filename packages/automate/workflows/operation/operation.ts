import { nodeId } from '../model/node-names.ts';
import { timeOf, timestamp } from '../model/time.ts';
import type {
  ArtifactRepository,
  NodeStatus,
  Pod,
  Template,
  Volume,
  Workflow,
  WorkflowSpec,
  WorkflowStatus,
  WorkflowTaskResult,
} from '../model/types.ts';
import type { Value } from '../text/variables.ts';
import type { Action, Facts } from './facts.ts';

export type LiveStatus = WorkflowStatus & { nodes: Record<string, NodeStatus> };

/** The state of one decision about one workflow. `workflow` is a copy that the decision changes. */
export class Operation {
  readonly workflow: Workflow;
  readonly status: LiveStatus;
  readonly facts: Facts;
  readonly actions: Action[] = [];
  /** `workflow.*`, for all templates. */
  readonly globals = new Map<string, Value>();
  /** Nodes that had ended before this decision. */
  readonly endedBefore: ReadonlySet<string>;
  readonly knownBefore: ReadonlySet<string>;
  readonly podsByNode = new Map<string, Pod>();
  /** Work for the agent: HTTP and plugin templates by id of the node. */
  readonly tasks: Record<string, Template> = {};
  /** Nodes whose metrics this decision has emitted. */
  readonly measured = new Set<string>();
  readonly #nodesOf = new Map<string, NodeStatus[]>();
  #results: ReadonlyMap<string, WorkflowTaskResult> | undefined;
  #timestamp: string | undefined;
  /** What runs: the workflow's own spec, or the one merged from its template and the defaults. */
  spec: WorkflowSpec;
  volumes: Volume[] = [];
  /** Where artifacts go that say nothing else. */
  repository: ArtifactRepository | undefined;
  activePods = 0;
  /** Which limit of parallelism keeps something waiting, as decided now. */
  heldBy: string | undefined;
  depth = 0;
  /** Milliseconds since the epoch; undefined for none. */
  deadline: number | undefined;
  requeueAt: number | undefined;

  constructor(workflow: Workflow, facts: Facts, endedBefore: ReadonlySet<string>) {
    this.workflow = workflow;
    this.facts = facts;
    this.spec = workflow.spec;
    workflow.status ??= { startedAt: null, finishedAt: null };
    workflow.status.nodes ??= {};
    this.status = workflow.status as LiveStatus;
    this.endedBefore = endedBefore;
    this.knownBefore = new Set(Object.keys(this.status.nodes));
    for (const node of Object.values(this.status.nodes)) this.#index(node);
    for (const pod of facts.pods) {
      const id = pod.metadata.annotations?.['workflows.argoproj.io/node-id'];
      if (id) this.podsByNode.set(id, pod);
    }
  }

  get name(): string {
    return this.workflow.metadata.name ?? '';
  }

  get namespace(): string {
    return this.workflow.metadata.namespace ?? '';
  }

  get now(): number {
    return this.facts.now;
  }

  /** The time of this decision as Kubernetes writes it. */
  get timestamp(): string {
    this.#timestamp ??= timestamp(this.facts.now);
    return this.#timestamp;
  }

  /** What the executor of a node has reported. */
  resultOf(id: string): WorkflowTaskResult | undefined {
    this.#results ??= new Map(this.facts.taskResults.map((result) => [result.metadata.name ?? '', result]));
    return this.#results.get(id);
  }

  idOf(nodeName: string): string {
    return nodeId(this.name, nodeName);
  }

  node(nodeName: string): NodeStatus | undefined {
    return this.status.nodes[this.idOf(nodeName)];
  }

  nodeById(id: string | undefined): NodeStatus | undefined {
    return id === undefined ? undefined : this.status.nodes[id];
  }

  nodes(): NodeStatus[] {
    return Object.values(this.status.nodes);
  }

  /** Nodes that one template made: those whose boundary it is. */
  nodesWithin(boundaryId: string): readonly NodeStatus[] {
    return this.#nodesOf.get(boundaryId) ?? [];
  }

  add(node: NodeStatus): NodeStatus {
    this.status.nodes[node.id] = node;
    this.#index(node);
    return node;
  }

  /** Looks at the workflow again after so many milliseconds, if nothing else brings it up earlier. */
  requeueAfter(milliseconds: number): void {
    const at = this.now + Math.max(milliseconds, 0);
    if (this.requeueAt === undefined || at < this.requeueAt) this.requeueAt = at;
  }

  #index(node: NodeStatus): void {
    const boundary = node.boundaryID ?? '';
    const within = this.#nodesOf.get(boundary);
    if (within) within.push(node);
    else this.#nodesOf.set(boundary, [node]);
  }

  /** When the whole workflow must have ended. */
  workflowDeadline(): number | undefined {
    const started = timeOf(this.status.startedAt);
    const seconds = this.spec.activeDeadlineSeconds;
    return started === undefined || seconds === undefined ? undefined : started + seconds * 1000;
  }

  get shutdown(): 'Stop' | 'Terminate' | undefined {
    return this.spec.shutdown || undefined;
  }

  /** False if the workflow is being stopped in a way that keeps such a pod or node from running. */
  mayRun(isOnExit: boolean): boolean {
    return this.shutdown === undefined || (this.shutdown === 'Stop' && isOnExit);
  }
}
