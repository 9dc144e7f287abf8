import { type Diagnosis, defineDiagnosis, diagnose, type Remedy } from '@tiphys/diagnosis';
import { podNameOf, templateOf } from '../model/node-names.ts';
import type { NodeStatus, Template, Workflow } from '../model/types.ts';

const postponed = defineDiagnosis(
  'WorkflowPostponed',
  'A workflow has not begun because as many run as the installation permits',
  'W11',
);
const parallelism = defineDiagnosis(
  'WorkflowParallelismReached',
  'Steps of a workflow wait because as many of its pods run as it permits itself',
  'W11',
);
const tooLate = defineDiagnosis('WorkflowDeadlineExceeded', 'A step took longer than a limit permits', 'W11');
const retriesUsed = defineDiagnosis('WorkflowRetriesUsedUp', 'A step failed as often as it may be tried', 'W6');
const podLost = defineDiagnosis('WorkflowPodLost', 'The pod of a step went before its result was seen', 'W1');
const artifact = defineDiagnosis('WorkflowArtifactFailed', 'An artifact of a step could not be read or stored', 'W2');
const noRoom = defineDiagnosis('WorkflowQuotaExceeded', 'A quota has no room for the pod of a step', 'W4');
const locked = defineDiagnosis('WorkflowWaitsForLock', 'A workflow or a step waits for a lock that others hold', 'W7');
const noRight = defineDiagnosis('WorkflowNotPermitted', 'The account of a step lacks a right, or is not there', 'W9');
const notStarted = defineDiagnosis('WorkflowPodNotStarted', 'The pod of a step cannot start');
const refused = defineDiagnosis('WorkflowPodRefused', 'The API server does not take the pod of a step', 'W5');
const stepFailed = defineDiagnosis('WorkflowStepFailed', 'A container of a step ended with an error');
const unanswered = defineDiagnosis('WorkflowRequestUnanswered', 'The request of an http template got no answer');
const notTaken = defineDiagnosis('WorkflowTaskNotTaken', 'Nobody does an http or plugin template of a workflow');
const invalid = defineDiagnosis('WorkflowInvalid', 'A workflow has something that cannot be run');

/** How many are told of one workflow. */
const most = 10;

interface Told {
  readonly workflow: Workflow;
  readonly node?: NodeStatus;
  readonly message: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly explain: (told: Told) => Diagnosis;
}

/**
 * What is wrong with a workflow that has its nodes, or what it waits for, by what its status says: the innermost causes first, each once. Whatever its
 * own sentence names stays in the message; what is added is whose limit it is, and what is to be done.
 */
export function explainNodes(workflow: Workflow): Diagnosis[] {
  const { status } = workflow;
  if (status?.phase === 'Succeeded') return [];
  const nodes = Object.values(status?.nodes ?? {});
  if (!status?.message && !nodes.some(isTold) && !heldBy(workflow)) return [];
  const tried = new Map(
    nodes.flatMap((node) => (node.type === 'Retry' ? (node.children ?? []).map((id) => [id, node] as const) : [])),
  );
  const told = nodes
    .filter((node) => isTold(node) && !isToldByOthers(node, nodes, tried.get(node.id)))
    .map((node) => ofNode(workflow, node));
  const held = heldBy(workflow);
  const own = status?.message && !isRepeated(status.message, nodes) ? [ofWorkflow(workflow, status.message)] : [];
  const waits = held && status?.phase === 'Running' ? [ofParallelism(workflow, held)] : [];
  const all = [...told, ...own, ...waits].filter((diagnosis) => diagnosis !== undefined);
  return [...new Map(all.map((diagnosis) => [`${diagnosis.code} ${diagnosis.message}`, diagnosis])).values()].slice(
    0,
    most,
  );
}

/** Which limit of parallelism keeps a workflow, or something in it, waiting. */
const heldBy = ({ status }: Workflow): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'ParallelismReached')?.message;

const isTold = ({ phase, message }: NodeStatus) =>
  message !== undefined && message !== '' && (phase === 'Failed' || phase === 'Error' || phase === 'Pending');

/** A group says of itself what became of those in it, which tell more; a step whose attempts are used up tells of all of them. */
function isToldByOthers(
  { id, type, message = '', nodeFlag }: NodeStatus,
  nodes: readonly NodeStatus[],
  tried: NodeStatus | undefined,
): boolean {
  if (type === 'Retry') return !usedUp.test(message);
  if (nodeFlag?.retried && tried && (usedUp.test(tried.message ?? '') || tried.children?.at(-1) !== id)) return true;
  if (!groups.has(type)) return false;
  const own = new Set(nodes.find((node) => node.id === id)?.children);
  return nodes.some((other) => (other.boundaryID === id || own.has(other.id)) && isTold(other));
}

const groups: ReadonlySet<string> = new Set(['Steps', 'DAG', 'StepGroup', 'TaskGroup']);

/** The workflow's own message, where a node says the same or more. */
const isRepeated = (message: string, nodes: readonly NodeStatus[]) =>
  nodes.some((node) => isTold(node) && (message.endsWith(node.message ?? '') || message.startsWith('child ')));

function ofNode(workflow: Workflow, node: NodeStatus): Diagnosis | undefined {
  const told = { workflow, node, message: node.message ?? '' };
  const rule = rules.find(({ pattern }) => pattern.test(told.message));
  if (rule) return rule.explain(told);
  return node.phase === 'Pending' ? undefined : failedStep(told);
}

function ofWorkflow(workflow: Workflow, message: string): Diagnosis | undefined {
  const told = { workflow, message };
  const rule = rules.find(({ pattern }) => pattern.test(message));
  if (rule) return rule.explain(told);
  return /^(?:Failed|Error)$/.test(workflow.status?.phase ?? '') ? invalidSpec(told) : undefined;
}

const usedUp = /^No more retries left|^Max duration limit exceeded|^Backoff would exceed max duration limit/;

const rules: readonly Rule[] = [
  { pattern: /^Workflow processing has been postponed/, explain: ofInstallation },
  {
    pattern: /^Waits for (?:an agent|the agent pod|an executor plugin) |^no plugin executed the template/,
    explain: ofTask,
  },
  { pattern: /exceeded its deadline|longer than the specified deadline|^timeout$/, explain: ofDeadline },
  { pattern: usedUp, explain: ofAttempts },
  { pattern: /^pod deleted|its node does not answer$/, explain: ofLostPod },
  { pattern: /exceeded quota|has no room: wanted/, explain: ofQuota },
  {
    pattern: /^Waiting for .+ lock\b|^Failed to acquire the synchronization lock|^failed to get limit for semaphore/,
    explain: ofLock,
  },
  { pattern: /workflowtaskresults|service ?account .*not found|\bis forbidden: User\b/i, explain: ofRight },
  { pattern: /admission webhook|could not be called|failed calling webhook/, explain: ofWebhook },
  { pattern: /^(?:init|wait): /, explain: ofArtifact },
  {
    pattern: /ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainer(?:Config)?Error|^Unschedulable/,
    explain: ofStart,
  },
  { pattern: / got no answer \((?:DNS|TCP|TLS|HTTP)\): /, explain: ofRequest },
  { pattern: /^invalid spec: /, explain: invalidSpec },
];

const objectOf = ({ metadata }: Workflow) => `argoproj.io/Workflow ${metadata.namespace}/${metadata.name}`;
const nameOf = ({ displayName, name }: NodeStatus) => displayName ?? name;
const stepOf = (node: NodeStatus | undefined) => (node ? `Step ${nameOf(node)}` : 'The workflow');

/** Where a node's template is; the workflow itself for none. */
function placeOf({ workflow, node }: Told, field?: string) {
  const template = node && templateOf(node);
  const path = template ? `spec.templates[name=${template}]${field ? `.${field}` : ''}` : field && `spec.${field}`;
  return { object: objectOf(workflow), ...(path ? { field: path } : {}) };
}

function evidenceOf({ workflow, node }: Told): Record<string, string | undefined> {
  if (!node) return {};
  return { step: nameOf(node), pod: podNameOf(workflow.metadata, node) || undefined, node: node.hostNodeName };
}

/** The template that a node runs, as the workflow has it stored. */
function templateAs({ spec, status }: Workflow, node: NodeStatus | undefined): Template | undefined {
  if (!node) return undefined;
  const all = [
    ...(spec.templates ?? []),
    ...(status?.storedWorkflowTemplateSpec?.templates ?? []),
    ...Object.values(status?.storedTemplates ?? {}),
  ];
  return all.find(({ name }) => name === templateOf(node));
}

function ofInstallation(told: Told): Diagnosis {
  const reason = heldBy(told.workflow);
  return diagnose(postponed, {
    message: `The workflow has not begun: ${reason || 'as many workflows run as the installation permits'}`,
    place: { object: objectOf(told.workflow) },
    remedies: [
      'Wait until another one has ended, or raise the limit that is named; workflows of a higher spec.priority come first',
    ],
  });
}

function ofParallelism(workflow: Workflow, message: string): Diagnosis {
  return diagnose(parallelism, {
    message: `Steps wait: ${message}`,
    place: { object: objectOf(workflow) },
    remedies: ['Wait until one of the pods has ended, or raise the limit that is named'],
  });
}

function ofDeadline(told: Told): Diagnosis {
  const { workflow, node, message } = told;
  const template = templateAs(workflow, node);
  const spec = { ...workflow.status?.storedWorkflowTemplateSpec, ...workflow.spec };
  const limits = [
    ...(template?.timeout ? [{ field: 'timeout', value: template.timeout, own: true }] : []),
    ...(template?.activeDeadlineSeconds === undefined
      ? []
      : [{ field: 'activeDeadlineSeconds', value: `${template.activeDeadlineSeconds} s`, own: true }]),
    ...(spec.activeDeadlineSeconds === undefined
      ? []
      : [{ field: 'activeDeadlineSeconds', value: `${spec.activeDeadlineSeconds} s`, own: false }]),
  ];
  // the workflow's own limit ends steps by this sentence, the kubelet and `timeout` by theirs
  const ofWhole = limits.find(({ own }) => !own);
  const isWhole = ofWhole !== undefined && (message === 'Step exceeded its deadline' || limits.length === 1);
  const limit = isWhole ? ofWhole : limits[0];
  const whose = limit
    ? limit.own
      ? `its template's ${limit.field}`
      : `the workflow's ${limit.field}`
    : 'its deadline';
  return diagnose(tooLate, {
    message: `${stepOf(node)} was ended by ${whose}${limit ? ` of ${limit.value}` : ''}: ${message}`,
    place: limit?.own
      ? placeOf(told, limit.field)
      : { object: objectOf(workflow), field: `spec.${limit?.field ?? 'activeDeadlineSeconds'}` },
    evidence: { ...evidenceOf(told), started: node?.startedAt ?? undefined, ended: node?.finishedAt ?? undefined },
    remedies: [`Raise ${limit ? limit.field : 'the limit'}, or see in the log of the step what takes so long`],
  });
}

function ofAttempts(told: Told): Diagnosis {
  const { workflow, node, message } = told;
  const nodes = workflow.status?.nodes ?? {};
  const attempts = (node?.children ?? []).map((id) => nodes[id]).filter((child) => child !== undefined);
  const limit = templateAs(workflow, node)?.retryStrategy?.limit;
  const causes = attempts
    .filter((attempt) => attempt.nodeFlag?.hooked !== true && attempt.message)
    .map((attempt) => ({ name: nameOf(attempt), value: `${attempt.phase}: ${attempt.message}` }));
  const last = causes.at(-1)?.value;
  return diagnose(retriesUsed, {
    message: `${stepOf(node)} failed ${attempts.length} times${last ? `, last with ${last}` : ''}: ${message}`,
    place: placeOf(told, 'retryStrategy.limit'),
    evidence: [...causes, ...(limit === undefined ? [] : [{ name: 'limit', value: String(limit) }])],
    remedies: [
      {
        text: 'Correct what the last attempt names, and go on from this step',
        paste: `tiphys workflows retry ${workflow.metadata.name} -n ${workflow.metadata.namespace}`,
      },
    ],
  });
}

function ofLostPod(told: Told): Diagnosis {
  const { retryStrategy } = templateAs(told.workflow, told.node) ?? {};
  return diagnose(podLost, {
    message: `The pod of ${stepOf(told.node)
      .toLowerCase()
      .replace(/^step /, 'step ')} went before its result was seen: ${told.message}`,
    place: placeOf(told),
    evidence: evidenceOf(told),
    remedies: [
      'See in the events of the pod and its node whether it was evicted, preempted, or deleted by somebody',
      retryStrategy
        ? 'Set retryStrategy.retryPolicy: Always or OnError, so that a lost pod is tried again'
        : { text: 'Have a lost pod tried again', paste: 'retryStrategy:\n  limit: "2"\n  retryPolicy: OnError' },
    ],
  });
}

function ofQuota(told: Told): Diagnosis {
  return diagnose(noRoom, {
    message: `${stepOf(told.node)} has no pod: ${told.message}`,
    place: placeOf(told),
    evidence: evidenceOf(told),
    remedies: ['Free what uses the quota up, or raise it; the step goes on by itself then'],
  });
}

function ofLock(told: Told): Diagnosis {
  const { workflow, message } = told;
  const { mutex, semaphore } = workflow.status?.synchronization ?? {};
  const holders = [
    ...(mutex?.waiting ?? []).map(({ holder }) => holder ?? ''),
    ...(semaphore?.waiting ?? []).flatMap((one) => one.holders ?? []),
  ].filter(Boolean);
  const waits = message.startsWith('Waiting');
  const heldBy = [...new Set(holders)].join(', ');
  return diagnose(locked, {
    message: waits ? `${stepOf(told.node)} waits: ${message}${heldBy ? `, held by ${heldBy}` : ''}` : message,
    place: placeOf(told, 'synchronization'),
    evidence: { 'held by': heldBy || undefined, ...evidenceOf(told) },
    remedies: [
      waits
        ? 'Wait until a holder has ended, or end it: tiphys workflows stop NAME; a lock whose holder is gone is given back by itself'
        : /no database of locks/.test(message)
          ? 'Name a database in synchronization of workflow-controller-configmap and start the controller again, or leave database: true out'
          : 'Create the ConfigMap with the key that the message names, or correct its name',
    ],
  });
}

function ofRight(told: Told): Diagnosis {
  const spec = templateAs(told.workflow, told.node) ?? told.workflow.spec;
  const account = spec.serviceAccountName ?? told.workflow.spec.serviceAccountName ?? 'default';
  return diagnose(noRight, {
    message: `${stepOf(told.node)} lacks a right: ${told.message}`,
    place: placeOf(told),
    evidence: { account, ...evidenceOf(told) },
    remedies: [
      {
        text: `Create the service account ${account} where it is missing, and give it a Role with this rule`,
        paste: '- apiGroups: [argoproj.io]\n  resources: [workflowtaskresults]\n  verbs: [create, patch]',
      },
    ],
  });
}

function ofWebhook(told: Told): Diagnosis {
  return diagnose(refused, {
    message: `${stepOf(told.node)} has no pod: ${told.message}`,
    place: placeOf(told),
    evidence: evidenceOf(told),
    remedies: ['Bring the webhook back, or have it leave these pods out; other pods that it looks at are held up too'],
  });
}

function ofArtifact(told: Told): Diagnosis {
  const isInput = told.message.startsWith('init: ');
  const what = isInput ? 'could not read its inputs' : 'ended, and what it made could not be stored';
  return diagnose(artifact, {
    message: `${stepOf(told.node)} ${what}: ${told.message.replace(/^(?:init|wait): /, '')}`,
    place: placeOf(told, isInput ? 'inputs' : 'outputs'),
    evidence: evidenceOf(told),
    remedies: [
      'Correct the location or the Secret of the store that the message names',
      `Then go on from this step: tiphys workflows retry ${told.workflow.metadata.name} -n ${told.workflow.metadata.namespace}`,
    ],
  });
}

function ofTask(told: Told): Diagnosis {
  const fails = told.node?.phase !== 'Pending';
  return diagnose(notTaken, {
    message: `${stepOf(told.node)} ${fails ? 'failed' : 'waits'}: ${told.message}`,
    place: placeOf(told),
    evidence: evidenceOf(told),
    remedies: [taskRemedy(told.message)],
  });
}

function taskRemedy(message: string): string | Remedy {
  if (message.startsWith('Waits for an agent '))
    return 'Start what does such task sets, or take disableAgentPodCreation out of workflow-controller-configmap';
  if (message.startsWith('Waits for the agent pod'))
    return 'Correct what keeps the pod from starting; of a plugin, its image and its ServiceAccount NAME-executor-plugin';
  return {
    text: 'Install a plugin for it as a ConfigMap with this label in the namespace of the workflow or of the controller, which must run with ARGO_EXECUTOR_PLUGINS=true; or correct the name of the field in plugin. Agents get it with the next workflow',
    paste: 'metadata:\n  labels:\n    workflows.argoproj.io/configmap-type: ExecutorPlugin',
  };
}

const requestRemedies: Readonly<Record<string, string>> = {
  DNS: 'Correct the host in http.url, or the name service that the pod of the agent asks',
  TCP: 'Start what is to listen there, correct the address and port in http.url, or let network policies pass it from the pod of the agent',
  TLS: 'Correct the scheme or port in http.url, renew the certificate, or give its authority in the Secret argo-workflows-agent-ca-certificates',
  HTTP: 'See why the host does not answer, or give it more time: http.timeoutSeconds',
};

function ofRequest(told: Told): Diagnosis {
  const [, hop = 'HTTP'] = / got no answer \((DNS|TCP|TLS|HTTP)\): /.exec(told.message) ?? [];
  return diagnose(unanswered, {
    message: `${stepOf(told.node)} failed: ${told.message}`,
    place: placeOf(told, 'http.url'),
    evidence: { hop, ...evidenceOf(told) },
    remedies: [requestRemedies[hop] ?? ''],
  });
}

function ofStart(told: Told): Diagnosis {
  return diagnose(notStarted, {
    message: `${stepOf(told.node)} cannot start: ${told.message}`,
    place: placeOf(told),
    evidence: evidenceOf(told),
    remedies: [startRemedy(told.message)],
  });
}

function startRemedy(message: string): string {
  if (!message.startsWith('Unschedulable'))
    return 'Correct the image, its pull secret, or what the container refers to';
  const claim = /persistentvolumeclaim "([^"]+)" (?:not found|is being deleted)/.exec(message)?.[1];
  if (claim) return `Create the PersistentVolumeClaim ${claim} in the namespace of the workflow, or correct claimName`;
  if (/unbound immediate PersistentVolumeClaims/.test(message))
    return 'See why its PersistentVolumeClaim gets no volume: kubectl describe pvc';
  // of several reasons, room is the one that comes by itself
  if (/Insufficient |Too many pods/.test(message)) return 'Free nodes, or lower what the step asks for';
  if (/node affinity\/selector/.test(message))
    return 'Correct nodeSelector and affinity, or label a node as they want it';
  if (/untolerated taint/.test(message)) return 'Give the step a toleration of the taint, or take the taint off a node';
  return 'Correct what keeps the step off each node, as the message counts them';
}

/** Whether containers of a step, or of what the workflow is as a whole, can have said something. */
const hasLog = ({ node }: Told) => node === undefined || node.type === 'Pod' || node.type === 'Container';

function failedStep(told: Told): Diagnosis {
  return diagnose(stepFailed, {
    message: `${stepOf(told.node)} failed: ${told.message}`,
    place: placeOf(told),
    evidence: evidenceOf(told),
    remedies: [hasLog(told) ? seeLog(told) : 'Correct what the message names in the template, and submit it again'],
  });
}

function seeLog({ message, workflow: { metadata } }: Told): Remedy {
  const [, container = ''] = /^([\w-]+): .*exit code/s.exec(message) ?? [];
  return {
    text: 'See in its log why',
    paste: `tiphys workflows logs ${metadata.name} -n ${metadata.namespace}${container && container !== 'main' ? ` -c ${container}` : ''}`,
  };
}

function invalidSpec(told: Told): Diagnosis {
  return diagnose(invalid, {
    message: told.message.replace(/^invalid spec: /, ''),
    place: placeOf(told),
    evidence: evidenceOf(told),
    remedies: [
      / not found$| does not exist$/.test(told.message)
        ? 'Create what the message names, or correct the reference to it, and submit it again'
        : 'Correct what the message names, and submit it again; tiphys workflows lint finds it in the file',
    ],
  });
}
