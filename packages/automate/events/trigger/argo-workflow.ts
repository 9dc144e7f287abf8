import { copyJson } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import type { WorkflowVerbs } from '@tiphys/workflows';
import { withParameters } from '../parameters/parameters.ts';
import type { WorkflowTrigger } from '../spec/sensor.ts';
import { fetchManifest } from './artifact.ts';
import { createOnce } from './once.ts';
import { resourcePolicy } from './resource-policy.ts';
import { type Act, type Action, ActionError, type TriggerContext } from './trigger.ts';
import {
  type KnownFlags,
  noFlags,
  readFlags,
  resubmitFlags,
  resumeFlags,
  retryFlags,
  stopFlags,
  submitFlags,
} from './workflow-flags.ts';

type Workflows = typeof import('@tiphys/workflows');
type Workflow = Parameters<WorkflowVerbs['create']>[0];

interface Work {
  readonly object: KubeObject;
  readonly named: { readonly namespace: string; readonly name: string };
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly action: Action;
  readonly context: TriggerContext;
  readonly workflows: Workflows;
  readonly verbs: WorkflowVerbs;
}

interface Operation {
  readonly flags: KnownFlags;
  readonly perform: (work: Work) => Promise<KubeObject>;
}

/** Submits a workflow, or does to one what the argo command does. */
export const act: Act = async (action, context) => {
  const trigger = action.template.argoWorkflow as WorkflowTrigger;
  const verb = trigger.operation || 'submit';
  const source = copyJson(await fetchManifest(trigger.source, context)) as KubeObject;
  const object = withParameters(source, trigger.parameters, action.events);
  const { name = '', generateName, namespace = context.namespace } = object.metadata;
  if (!name && verb !== 'submit')
    throw new ActionError(`failed to execute the workflow ${verb} operation, no name is given`);
  if (!name && !generateName)
    throw new ActionError('failed to trigger the workflow, neither name nor generateName is given');
  const operation = operations.get(verb);
  if (!operation)
    throw new ActionError(`unknown operation type ${verb}; there are ${[...operations.keys()].join(', ')}`);
  const flags = readFlags(trigger.args ?? [], operation.flags);
  const workflows = await import('@tiphys/workflows');
  const verbs = new workflows.WorkflowVerbs({ client: context.client, clock: context.clock, signal: action.signal });
  try {
    const named = { namespace, name };
    const result = await operation.perform({ object, named, flags, action, context, workflows, verbs });
    await resourcePolicy(result, action, context);
    return `${verb} of workflow ${namespace}/${result.metadata.name ?? name}`;
  } catch (error) {
    throw error instanceof workflows.VerbError ? new ActionError(error.message) : error;
  }
};

const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['submit', { flags: submitFlags, perform: (work) => submit(work, work.object as unknown as Workflow) }],
  [
    'submit-from',
    { flags: submitFlags, perform: async (work) => submit(work, await work.verbs.from(work.object.kind, work.named)) },
  ],
  ['resubmit', { flags: resubmitFlags, perform: resubmit }],
  [
    'resume',
    { flags: resumeFlags, perform: ({ verbs, named, flags }) => verbs.resume(named, flags.get('selector')?.at(-1)) },
  ],
  ['retry', { flags: retryFlags, perform: retry }],
  ['suspend', { flags: noFlags, perform: ({ verbs, named }) => verbs.suspend(named) }],
  ['terminate', { flags: noFlags, perform: ({ verbs, named }) => verbs.terminate(named) }],
  ['stop', { flags: stopFlags, perform: stop }],
]);

function submit({ named, flags, workflows, action, context }: Work, workflow: Workflow): Promise<KubeObject> {
  const last = (key: string) => flags.get(key)?.at(-1);
  const wanted = workflows.submitted(workflow, {
    namespace: named.namespace,
    name: last('name'),
    generateName: last('generateName'),
    entrypoint: last('entrypoint'),
    serviceAccount: last('serviceAccount'),
    priority: wholeNumber(flags, 'priority'),
    parameters: flags.get('parameter') ?? [],
    labels: labelsOf(flags.get('labels') ?? []),
  });
  const labels = {
    ...wanted.metadata.labels,
    'events.argoproj.io/sensor': context.sensorName,
    'events.argoproj.io/trigger': action.template.name,
    'events.argoproj.io/action-timestamp': String(context.clock.now()),
  };
  return create({ ...wanted, metadata: { ...wanted.metadata, labels } }, action, context);
}

async function resubmit({ verbs, named, flags, workflows, action, context }: Work): Promise<KubeObject> {
  const options = { parameters: flags.get('parameter') ?? [], memoized: flags.has('memoized') };
  const copy = await verbs.resubmission(named, options);
  const wanted = workflows.submitted(copy, { priority: wholeNumber(flags, 'priority') });
  return options.memoized ? verbs.create(wanted) : create(wanted, action, context);
}

async function create(workflow: Workflow, action: Action, context: TriggerContext): Promise<KubeObject> {
  return (await createOnce(workflow as KubeObject, action, context)).result;
}

function retry({ verbs, named, flags }: Work): Promise<KubeObject> {
  const selector = flags.get('selector')?.at(-1);
  return verbs.retry(named, {
    parameters: flags.get('parameter') ?? [],
    ...(selector ? { nodeFieldSelector: selector } : {}),
    ...(flags.has('restartSuccessful') ? { restartSuccessful: true } : {}),
  });
}

function stop({ verbs, named, flags }: Work): Promise<KubeObject> {
  const selector = flags.get('selector')?.at(-1);
  const message = flags.get('message')?.at(-1);
  return verbs.stop(named, { ...(selector ? { selector } : {}), ...(message ? { message } : {}) });
}

function wholeNumber(flags: Work['flags'], key: string): number | undefined {
  const text = flags.get(key)?.at(-1);
  if (text === undefined) return undefined;
  if (!/^-?\d{1,10}$/.test(text))
    throw new ActionError(`the argument --${key} is ${JSON.stringify(text)}, which is no whole number`);
  return Number(text);
}

function labelsOf(texts: readonly string[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const pair of texts.flatMap((text) => text.split(','))) {
    const at = pair.indexOf('=');
    if (at < 1) throw new ActionError(`the label ${JSON.stringify(pair)} is not of the form NAME=VALUE`);
    labels[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return labels;
}
