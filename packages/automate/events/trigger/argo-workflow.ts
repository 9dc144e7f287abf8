import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { copyJson } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import { withParameters } from '../parameters/parameters.ts';
import type { WorkflowTrigger } from '../spec/sensor.ts';
import { fetchManifest } from './artifact.ts';
import { resourcePolicy } from './resource-policy.ts';
import { retryCommand } from './retry-command.ts';
import { type Act, type Action, ActionError, type TriggerContext } from './trigger.ts';
import { type WorkflowArguments, workflowArguments } from './workflow-arguments.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const run = promisify(execFile);

interface Work {
  readonly object: KubeObject;
  readonly name: string;
  readonly namespace: string;
  readonly args: readonly string[];
  readonly action: Action;
  readonly context: TriggerContext;
}

/** Submits a workflow, or does to one what the argo command does. */
export const act: Act = async (action, context) => {
  const trigger = action.template.argoWorkflow as WorkflowTrigger;
  const operation = trigger.operation || 'submit';
  const source = copyJson(await fetchManifest(trigger.source, context)) as KubeObject;
  const object = withParameters(source, trigger.parameters, action.events);
  const { name = '', generateName, namespace = context.namespace } = object.metadata;
  if (!name && operation !== 'submit')
    throw new ActionError(`failed to execute the workflow ${operation} operation, no name is given`);
  if (!name && !generateName)
    throw new ActionError('failed to trigger the workflow, neither name nor generateName is given');
  const perform = operations.get(operation);
  if (!perform) throw new ActionError(`unknown operation type ${operation}`);
  const result = await perform({ object, name, namespace, args: trigger.args ?? [], action, context });
  await resourcePolicy(result, action, context);
  return `${operation} of workflow ${namespace}/${result.metadata.name ?? name}`;
};

const operations: ReadonlyMap<string, (work: Work) => Promise<KubeObject>> = new Map([
  ['submit', (work) => create(work, work.object)],
  ['submit-from', submitFrom],
  ['resubmit', resubmit],
  ['suspend', (work) => change(work, { spec: { suspend: true } })],
  ['resume', (work) => change(work, { spec: { suspend: null } })],
  ['terminate', (work) => change(work, { spec: { shutdown: 'Terminate' } })],
  ['stop', (work) => change(work, { spec: { shutdown: 'Stop' } })],
  ['retry', byCommand],
]);

function change({ name, namespace, args, context }: Work, patch: object): Promise<KubeObject> {
  if (args.length > 0)
    throw new ActionError(`the argument ${JSON.stringify(args[0])} is not supported for this operation`);
  return context.client.patch({ apiVersion, kind: 'Workflow', namespace, name }, 'merge', patch);
}

async function create({ namespace, args, action, context }: Work, object: KubeObject): Promise<KubeObject> {
  const given = workflowArguments(args);
  const workflow = copyJson(object) as KubeObject & { spec: Record<string, unknown> };
  workflow.spec ??= {};
  const { metadata, spec } = workflow;
  metadata.namespace = namespace;
  metadata.labels = {
    ...metadata.labels,
    ...given.labels,
    'events.argoproj.io/sensor': context.sensorName,
    'events.argoproj.io/trigger': action.template.name,
    'events.argoproj.io/action-timestamp': String(context.clock.now()),
  };
  if (given.name) metadata.name = given.name;
  if (given.generateName) metadata.generateName = given.generateName;
  if (given.entrypoint) spec.entrypoint = given.entrypoint;
  if (given.serviceAccount) spec.serviceAccountName = given.serviceAccount;
  if (given.priority !== undefined) spec.priority = given.priority;
  setParameters(spec, given);
  return context.client.create(workflow);
}

function setParameters(spec: Record<string, unknown>, { parameters }: WorkflowArguments): void {
  if (parameters.size === 0) return;
  const before = (spec.arguments ?? {}) as { parameters?: { name: string; value?: string }[] };
  const kept = (before.parameters ?? []).filter(({ name }) => !parameters.has(name));
  spec.arguments = { ...before, parameters: [...kept, ...[...parameters].map(([name, value]) => ({ name, value }))] };
}

async function submitFrom(work: Work): Promise<KubeObject> {
  const { object, name, namespace, context } = work;
  const metadata = { generateName: `${name}-`, namespace };
  switch (object.kind.toLowerCase()) {
    case 'workflowtemplate':
    case 'clusterworkflowtemplate': {
      const clusterScope = object.kind.toLowerCase().startsWith('cluster') ? { clusterScope: true } : {};
      const labels = { 'workflows.argoproj.io/workflow-template': name };
      return create(work, {
        apiVersion,
        kind: 'Workflow',
        metadata: { ...metadata, labels },
        spec: { workflowTemplateRef: { name, ...clusterScope } },
      });
    }
    case 'cronworkflow': {
      const cron = await context.client.get({ apiVersion, kind: 'CronWorkflow', namespace, name });
      const { workflowSpec, workflowMetadata } = cron.spec as {
        workflowSpec: object;
        workflowMetadata?: { labels?: Record<string, string> };
      };
      const labels = { ...workflowMetadata?.labels, 'workflows.argoproj.io/cron-workflow': name };
      return create(work, { apiVersion, kind: 'Workflow', metadata: { ...metadata, labels }, spec: workflowSpec });
    }
    default:
      throw new ActionError(`invalid kind ${object.kind}`);
  }
}

async function resubmit(work: Work): Promise<KubeObject> {
  const { name, namespace, context } = work;
  const before = await context.client.get({ apiVersion, kind: 'Workflow', namespace, name });
  const { shutdown: _shutdown, suspend: _suspend, ...spec } = before.spec as Record<string, unknown>;
  const labels = Object.fromEntries(
    Object.entries(before.metadata.labels ?? {}).filter(
      ([key]) => !/^workflows\.argoproj\.io\/(?:completed|phase|archived)/.test(key),
    ),
  );
  const base = before.metadata.generateName ?? `${name.replace(/-[a-z0-9]{5}$/, '')}-`;
  const resubmitted = { ...labels, 'workflows.argoproj.io/resubmitted-from-workflow': name };
  return create(work, {
    apiVersion,
    kind: 'Workflow',
    metadata: { generateName: base, namespace, labels: resubmitted },
    spec,
  });
}

/** A retry decides over every node of the workflow: the argo command does that. */
async function byCommand({ name, namespace, args, context, action }: Work): Promise<KubeObject> {
  try {
    await run('argo', retryCommand({ namespace, name, args, as: context.actsAs }), { signal: action.signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new ActionError(
        'retry needs the argo command on PATH, and there is none; resubmit begins the workflow anew without it',
      );
    throw error;
  }
  return context.client.get({ apiVersion, kind: 'Workflow', namespace, name });
}
