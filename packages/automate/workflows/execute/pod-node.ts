import { parseDocuments } from '@tiphys/yaml';
import { parseProgress } from '../model/progress.ts';
import { timeOf, timestamp } from '../model/time.ts';
import type { Container, NodeStatus, Pod, Template } from '../model/types.ts';
import type { ImagePull } from '../operation/facts.ts';
import { failedHosts } from '../operation/failed-hosts.ts';
import { halted, type Outcome } from '../operation/halt.ts';
import { addChild, initNode, initTemplateNode, markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { timeoutDeadline } from '../operation/time-limits.ts';
import { buildPod, ownerOf } from '../pods/build-pod.ts';
import { execContainer } from '../pods/exec-container.ts';
import type { PodRequest } from '../pods/pod-request.ts';
import type { Work } from './call.ts';
import { freshNode, podNameOf, rethrowForeign } from './execute-template.ts';
import { boundaryTemplate } from './parallelism.ts';
import { retryStrategyOf } from './retries.ts';

/** Runs a container, script, container set, resource or data template as a pod of its own. */
export function executePod(op: Operation, work: Work): Outcome {
  const node = op.node(work.nodeName) ?? initTemplateNode(op, work.template, freshNode(work, 'Pending'));
  if (node.phase !== 'Pending') return { node };
  addContainers(op, work.template, node);
  const failure = op.facts.podFailures?.get(node.id);
  if (failure && !failure.isTransient) return { node, halt: halted(failure.message) };
  if (failure) node.message = failure.message;
  if (op.podsByNode.has(node.id)) return { node };
  if (!op.mayRun(work.isOnExit ?? false)) {
    return { node: markPhase(op, node, 'Failed', `workflow shutdown with strategy: ${op.shutdown}`) };
  }
  return createPod(op, work, node);
}

function createPod(op: Operation, work: Work, node: NodeStatus): Outcome {
  try {
    const built = buildPod(podRequest(op, work, node));
    if (!built) return { node: markPhase(op, node, 'Failed', 'Step exceeded its deadline') };
    const { pod, configMap } = built;
    op.actions.push({ kind: 'create-pod', nodeId: node.id, pod, ...(configMap ? { configMap } : {}) });
    op.activePods += 1;
    // what asks for pods of nodes later in this decision finds it
    op.podsByNode.set(node.id, pod);
    const progress = pod.metadata.annotations?.['workflows.argoproj.io/progress'];
    if (parseProgress(progress)) node.progress = progress as string;
    return { node };
  } catch (error) {
    rethrowForeign(error);
    return { node, halt: halted((error as Error).message) };
  }
}

function podRequest(op: Operation, work: Work, node: NodeStatus): PodRequest {
  const { template } = work;
  const boundary = op.nodeById(work.boundaryId);
  const around = boundary && boundaryTemplate(op, boundary);
  const strategy = retryStrategyOf(op, template);
  const request = {
    podName: podNameOf(op, node.name, template),
    nodeName: node.name,
    nodeId: node.id,
    namespace: op.namespace,
    workflow: { name: op.name, uid: op.workflow.metadata.uid ?? '' },
    template: withOwner(op, template),
    mainContainers: [],
    spec: op.spec,
    globals: op.globals,
    volumes: op.volumes,
    claims: op.status.persistentVolumeClaims ?? [],
    repository: op.repository,
    settings: op.facts.settings,
    now: op.now,
    workflowDeadline: op.workflowDeadline(),
    attemptsDeadline: work.deadline,
    timeoutDeadline: template.timeout ? timeoutDeadline(template, node) : undefined,
    isOnExit: work.isOnExit ?? false,
    includeOutput: template.data !== undefined || isResultWanted(around, node.name),
    boundary: around,
    avoidHosts: strategy?.affinity?.nodeAntiAffinity ? failedHosts(op, node) : [],
    node,
    imageCommand: (image: string) => op.facts.imageCommand(image, pullOf(op)),
  } satisfies PodRequest;
  return { ...request, mainContainers: mainContainers(request) };
}

function pullOf({ namespace, spec }: Operation): ImagePull {
  const secrets = (spec.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [name] : []));
  return { namespace, serviceAccount: spec.serviceAccountName ?? '', secrets };
}

function mainContainers(request: PodRequest): Container[] {
  const { container, script, containerSet, resource, data } = request.template;
  if (container) return [container];
  if (containerSet)
    return containerSet.containers.map(({ dependencies, ...own }) => ({
      ...own,
      volumeMounts: [...(containerSet.volumeMounts ?? []), ...(own.volumeMounts ?? [])],
    }));
  if (script) {
    const { source, ...own } = script;
    if (request.settings.wrapsCommands === false && isShell(own.command)) return [{ ...own, args: ['-c', source] }];
    return [source ? { ...own, args: [...(own.args ?? []), '/argo/staging/script'] } : own];
  }
  if (resource) return [execContainer(request, 'main', ['resource', resource.action])];
  return [execContainer(request, 'main', ['data', JSON.stringify(data)])];
}

/** Where pods only pretend to run, scripts of a shell are shown as commands of it. */
function isShell(command: readonly string[] | undefined): boolean {
  return command?.length === 1 && /(^|\/)(ba)?sh$/.test(command[0] ?? '');
}

function withOwner(op: Operation, template: Template): Template {
  const { resource } = template;
  if (!resource?.setOwnerReference || !resource.manifest) return template;
  const [document] = parseDocuments(resource.manifest, { file: 'manifest' }).documents;
  const object = (document?.value ?? {}) as { metadata?: { ownerReferences?: unknown[] } };
  const owner = ownerOf({ name: op.name, uid: op.workflow.metadata.uid ?? '' });
  const metadata = { ...object.metadata, ownerReferences: [...(object.metadata?.ownerReferences ?? []), owner] };
  return { ...template, resource: { ...resource, manifest: JSON.stringify({ ...object, metadata }) } };
}

/** True if the template around a node uses its `outputs.result`, so that the executor must keep what the command prints. */
function isResultWanted(around: Template | undefined, nodeName: string): boolean {
  if (!around) return false;
  const name = callName(nodeName);
  const word = around.dag ? 'tasks' : 'steps';
  const text = JSON.stringify(around);
  return (
    text.includes(`${word}.${name}.outputs.result`) ||
    text.includes(`${word}['${name}'].outputs.result`) ||
    text.includes(`${word}[\\"${name}\\"].outputs.result`)
  );
}

/** The name of the step or task that a node was made for: without attempts and items of loops. */
export function callName(nodeName: string): string {
  let name = nodeName;
  for (;;) {
    const open = name.endsWith(')') ? name.lastIndexOf('(') : name.endsWith(']') ? name.lastIndexOf('[') : -1;
    if (open < 0) break;
    name = name.slice(0, open);
  }
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Containers of a set are nodes too, with arrows as their dependencies go. */
export function addContainers(op: Operation, { containerSet }: Template, node: NodeStatus): void {
  const containers = containerSet?.containers ?? [];
  const { templateName, templateRef, templateScope = 'local/' } = node;
  const call = { ...(templateName ? { template: templateName } : {}), ...(templateRef ? { templateRef } : {}) };
  for (const { name } of containers) {
    const nodeName = `${node.name}.${name}`;
    if (op.node(nodeName)) continue;
    initNode(op, {
      name: nodeName,
      type: 'Container',
      scope: templateScope,
      call,
      boundaryId: node.id,
      phase: 'Pending',
      flag: node.nodeFlag,
    });
  }
  for (const { name, dependencies = [] } of containers) {
    const id = op.idOf(`${node.name}.${name}`);
    if (dependencies.length === 0) addChild(node, id);
    for (const dependency of dependencies) {
      const from = op.node(`${node.name}.${dependency}`);
      if (from) addChild(from, id);
    }
  }
}

/** When a pod's last container ended; the time of this decision while one runs. */
export function podEnd(op: Operation, { status }: Pod): string {
  let end = 0;
  for (const { state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    if (state?.running) return op.timestamp;
    end = Math.max(end, timeOf(state?.terminated?.finishedAt) ?? 0);
  }
  return end > 0 ? timestamp(end) : op.timestamp;
}
