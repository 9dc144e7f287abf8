import { workflowNames } from '@tiphys/api';
import { EventRecorder, type FamilyOptions, keyOf, ObjectStore, type Pass, Reconciler } from '@tiphys/controller';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type Client, Informer, isAlreadyExists, isNotFound, type WorkQueue } from '@tiphys/kubernetes';
import type { CronWorkflow, CronWorkflowStatus, Workflow, WorkflowTemplate } from '../model/types.ts';
import { CronChildren } from './cron-children.ts';
import { decideCron } from './cron-decision.ts';
import { missingTemplate } from './missing-template.ts';

export interface CronOptions extends FamilyOptions {
  /** Of the namespace that is looked after; of all if absent. */
  readonly scope: { readonly namespace?: string };
  readonly workflows: Informer<Workflow>;
  readonly templates: Informer<WorkflowTemplate>;
  readonly clusterTemplates: Informer<WorkflowTemplate>;
  /** Of CronWorkflows, whose turns somebody measures. */
  readonly queue: WorkQueue;
  readonly instanceId: () => string | undefined;
  readonly measures: CronMeasures | undefined;
  /** Aborts when another replica takes CronWorkflows over; undefined while one has them. */
  readonly holds: () => AbortSignal | undefined;
}

/** What is counted of CronWorkflows. */
export interface CronMeasures {
  cronTriggered(name: string, namespace: string): void;
  cronHeldBack(policy: string, name: string, namespace: string): void;
  failed(cause: 'CronWorkflowSubmissionError' | 'CronWorkflowSpecError'): void;
}

export interface CronRuntime {
  readonly done: Promise<void>;
  /** Looks at all CronWorkflows again. */
  wake(): void;
}

interface Memory {
  readonly since: number;
  /** The last scheduled time that was decided on. */
  handled?: number | undefined;
}

const { labels } = workflowNames;

/** CronWorkflows that are worked on at once: hundreds are due at the full minute, beside the workflows that the first of them make. */
const workers = 32;

/** Starts the controller of CronWorkflows. */
export async function startCronWorkflows(options: CronOptions): Promise<CronRuntime> {
  const { client, clock, signal, onError, scope, workflows, instanceId, queue } = options;
  const informer = new Informer<CronWorkflow>(client, {
    ref: { apiVersion: workflowNames.apiVersion, kind: 'CronWorkflow', ...scope },
    clock,
    onError: (problem) => onError('CronWorkflow', new DiagnosisError(problem)),
  });
  const children = new CronChildren(workflows, (cron) => queue.add(cron));
  const store = new ObjectStore<CronWorkflow>({ client, view: informer });
  const started = clock.now();
  const reconciler = new Reconciler<CronWorkflow, Client, Memory>({
    name: 'cronworkflow',
    store,
    queue,
    clock,
    context: client,
    memory: () => ({ since: Math.max(started, clock.now() - 1000) }),
    events: new EventRecorder<CronWorkflow>({
      client,
      clock,
      component: 'workflow-controller',
      onError: (error) => onError('events', error),
      signal,
    }),
    holds: () => options.holds(),
    skips: ({ metadata }) => (metadata.labels?.[labels.instance] ?? '') !== (instanceId() ?? ''),
    steps: [
      (pass) =>
        reconcile(pass, {
          workflows: children.of(pass.key),
          missing: missingTemplate(pass.next, options),
          measures: options.measures,
        }),
    ],
    onError,
  });
  informer.subscribe(({ object }) => store.unlessOwn(object, () => queue.add(keyOf(object))));
  // one that comes or goes mends or breaks those that name it
  for (const templates of [options.templates, options.clusterTemplates])
    templates.subscribe(({ type, object: { metadata } }) => {
      if (type === 'updated') return;
      for (const cron of informer.list())
        if (!metadata.namespace || cron.metadata.namespace === metadata.namespace) queue.add(keyOf(cron));
    });
  informer.start(signal);
  await informer.synced;
  return {
    done: reconciler.run(workers, signal),
    wake: () => {
      for (const cron of informer.list()) queue.add(keyOf(cron));
    },
  };
}

type CronPass = Pass<CronWorkflow, Client, Memory>;

interface CronSurroundings {
  readonly workflows: readonly Workflow[];
  readonly missing: string | undefined;
  readonly measures: CronMeasures | undefined;
}

async function reconcile(pass: CronPass, { workflows, missing, measures }: CronSurroundings): Promise<void> {
  const { next, context: client, clock, memory } = pass;
  if (next.metadata.deletionTimestamp) return;
  const now = clock.now();
  const decision = decideCron(next, { now, since: memory.since, handled: memory.handled, workflows, missing });
  memory.handled = decision.due ?? memory.handled;
  const { namespace = '' } = next.metadata;
  const ref = { apiVersion: workflowNames.apiVersion, kind: 'Workflow', namespace };
  for (const name of decision.terminate)
    await ignoreMissing(client.patch({ ...ref, name }, 'merge', { spec: { shutdown: 'Terminate' } }));
  for (const name of decision.remove)
    await ignoreMissing(client.delete({ ...ref, name }, { propagationPolicy: 'Background' }));
  const status: CronWorkflowStatus = { ...decision.status };
  const { name: cron = '' } = next.metadata;
  if (decision.skipped) pass.event(next.spec.suspend ? 'Normal' : 'Warning', 'ScheduleSkipped', decision.skipped);
  if (decision.policy) measures?.cronHeldBack(decision.policy, cron, namespace);
  if (decision.create) {
    const isMade = await submit(client, decision.create, status);
    if (isMade) measures?.cronTriggered(cron, namespace);
    else measures?.failed('CronWorkflowSubmissionError');
  }
  next.metadata.labels = { ...decision.labels };
  next.metadata.annotations = { ...decision.annotations };
  next.status = JSON.parse(
    JSON.stringify(status, (_, value) => (value === null ? undefined : value)),
  ) as CronWorkflowStatus;
  if (decision.requeueAt !== undefined) pass.requeueIn(decision.requeueAt - now);
}

async function submit(client: Client, workflow: Workflow, status: CronWorkflowStatus): Promise<boolean> {
  try {
    const { metadata, apiVersion, kind } = await client.create(workflow);
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
    status.active = [...(status.active ?? []), { apiVersion, kind, name, namespace, uid, resourceVersion }];
    return true;
  } catch (error) {
    // it was created before this process could write so
    if (isAlreadyExists(error)) return true;
    status.failed += 1;
    status.conditions = [
      ...(status.conditions ?? []).filter(({ type }) => type !== 'SubmissionError'),
      { type: 'SubmissionError', status: 'True', message: `Failed to submit Workflow: ${(error as Error).message}` },
    ];
    return false;
  }
}

async function ignoreMissing(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
