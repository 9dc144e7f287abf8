import type { Client } from '@tiphys/kubernetes';
import type { Draft, FamilyFault } from './families.ts';
import { asleep, noPods, workflow } from './family-drafts.ts';

/** Two steps that could run beside each other. */
const twoAtOnce = (spec: object, template: object = {}): Draft =>
  workflow({
    entrypoint: 'both',
    templates: [
      {
        name: 'both',
        steps: [
          [
            { name: 'one', template: 'main' },
            { name: 'two', template: 'main' },
          ],
        ],
        ...template,
      },
      asleep,
    ],
    ...spec,
  });

/** Ends the pods of steps as their executor does that cannot store what the step made. */
async function endPods(client: Client, namespace: string, message: string): Promise<void> {
  const { items } = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace });
  const ended = (name: string, exitCode: number, told = '') => ({
    ...{ name, image: 'a', imageID: '', ready: false, restartCount: 0 },
    state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message: told } },
  });
  const containerStatuses = [ended('main', 0), ended('wait', 64, message)];
  for (const { metadata } of items)
    await client.patch(
      { apiVersion: 'v1', kind: 'Pod', namespace, name: metadata.name ?? '' },
      'merge',
      { status: { phase: 'Failed', containerStatuses } },
      { subresource: 'status' },
    );
}

const plain = { name: 'main', container: { image: 'a', command: ['true'] } };

export const workflowFaults: readonly FamilyFault[] = [
  {
    id: 'WorkflowStepFailed',
    title: 'a suspended step whose duration is none: it has no log',
    objects: [workflow({ templates: [{ name: 'main', suspend: { duration: 'forever' } }] })],
    of: 'Workflow/x',
    code: 'WorkflowStepFailed',
    contains: [/unable to parse forever as a duration/, /Correct what the message names in the template/],
    excludes: [/in its log/, /WorkflowInvalid/],
  },
  {
    id: 'WorkflowPodNotStarted',
    title: 'a node that no label fits',
    objects: [workflow({ nodeSelector: { gpu: 'yes' }, templates: [plain] })],
    of: 'Workflow/x',
    code: 'WorkflowPodNotStarted',
    contains: [/node affinity\/selector/, /Correct nodeSelector and affinity, or label a node/],
    excludes: [/Free nodes/],
  },
  {
    id: 'WorkflowPodNotStarted',
    title: 'a claim that is not there',
    objects: [
      workflow({
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'gone' } }],
        templates: [{ ...plain, container: { ...plain.container, volumeMounts: [{ name: 'v', mountPath: '/v' }] } }],
      }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowPodNotStarted',
    contains: [/Create the PersistentVolumeClaim gone in the namespace of the workflow/],
    excludes: [/Free nodes/],
  },
  {
    id: 'WorkflowWaitsForLock',
    title: 'a lock of a database where there is none',
    objects: [workflow({ synchronization: { mutexes: [{ name: 'a', database: true }] }, templates: [plain] })],
    of: 'Workflow/x',
    code: 'WorkflowWaitsForLock',
    contains: [/no database of locks is open/, /Name a database in synchronization of workflow-controller-configmap/],
    excludes: [/Create the ConfigMap/],
  },
  {
    id: 'WorkflowInvalid',
    title: 'a template that is not there',
    objects: [workflow({ entrypoint: 'gone' })],
    of: 'Workflow/x',
    code: 'WorkflowInvalid',
    contains: [/spec\.entrypoint: there is no template gone/],
  },
  {
    id: 'WorkflowInvalid',
    title: 'an expression that cannot be read',
    objects: [
      workflow({ templates: [{ name: 'main', container: { image: 'a', command: ['true'], args: ['{{=f(}}'] } }] }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowInvalid',
    contains: [/the expression f\( cannot be read/, /container\.args\[0\]/],
  },
  {
    id: 'WorkflowInvalid',
    title: 'a WorkflowTemplate that is not there',
    objects: [{ kind: 'Workflow', metadata: { name: 'x' }, spec: { workflowTemplateRef: { name: 'gone' } } }],
    of: 'Workflow/x',
    code: 'WorkflowInvalid',
    contains: [/workflowtemplates\.argoproj\.io "gone" not found/],
  },
  {
    id: 'W4',
    title: 'a quota without room for a pod',
    objects: [noPods, workflow({})],
    of: 'Workflow/x',
    code: 'WorkflowQuotaExceeded',
    contains: [
      /ResourceQuota .*none has no room: wanted pods=1, used pods=0, limit pods=0/,
      /"type":"Cause","status":"True","message":"WorkflowQuotaExceeded: .* → Free what uses the quota up/,
    ],
    excludes: [/"phase":"Failed"/],
    mend: ({ client, namespace }) =>
      client.delete({ apiVersion: 'v1', kind: 'ResourceQuota', namespace, name: 'none' }),
  },
  {
    id: 'W5',
    title: 'a webhook of pods that is down',
    objects: [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'pods-of-workflows' },
        webhooks: [
          {
            name: 'pods.workflows.example.com',
            clientConfig: { url: 'https://127.0.0.1:1/validate' },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
            objectSelector: { matchLabels: { guarded: 'yes' } },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 2,
          },
        ],
      },
      workflow({ podMetadata: { labels: { guarded: 'yes' } } }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowPodRefused',
    contains: [/pods\.workflows\.example\.com/, /could not be called/],
  },
  {
    id: 'W9',
    title: 'a service account that is not there',
    objects: [workflow({ serviceAccountName: 'gone' })],
    of: 'Workflow/x',
    code: 'WorkflowNotPermitted',
    contains: [/service ?account .*gone.* not found/i],
  },
  {
    id: 'W6',
    title: 'retries that are used up',
    objects: [
      workflow({
        templates: [
          {
            name: 'main',
            retryStrategy: { limit: '1' },
            container: { image: 'a', command: ['sh', '-c', 'exit 3'] },
          },
        ],
      }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowRetriesUsedUp',
    contains: [/No more retries left/, /exit code 3/],
  },
  {
    id: 'W7',
    title: 'a semaphore whose ConfigMap is not there',
    objects: [workflow({ synchronization: { semaphores: [{ configMapKeyRef: { name: 'gone', key: 'most' } }] } })],
    of: 'Workflow/x',
    code: 'WorkflowWaitsForLock',
    contains: [/failed to get limit for semaphore .*gone/],
  },
  {
    id: 'W7',
    title: 'a mutex that another workflow holds',
    objects: [
      {
        ...workflow({ templates: [asleep], synchronization: { mutexes: [{ name: 'one' }] } }),
        metadata: { name: 'first' },
      },
      workflow({ templates: [asleep], synchronization: { mutexes: [{ name: 'one' }] } }),
    ],
    of: 'Workflow/x',
    code: 'WorkflowWaitsForLock',
    contains: [/waits: Waiting for \S+\/Mutex\/one lock.*, held by \S+\/first/],
    mend: ({ patch }) => patch('Workflow/first', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W11',
    title: 'a deadline of the workflow',
    objects: [workflow({ activeDeadlineSeconds: 1, templates: [asleep] })],
    of: 'Workflow/x',
    code: 'WorkflowDeadlineExceeded',
    contains: [/was ended by the workflow's activeDeadlineSeconds of 1 s/, /spec\.activeDeadlineSeconds/],
  },
  {
    id: 'W11',
    title: 'a deadline of a template',
    objects: [workflow({ templates: [{ ...asleep, activeDeadlineSeconds: 1 }] })],
    of: 'Workflow/x',
    code: 'WorkflowDeadlineExceeded',
    contains: [/was ended by its template's activeDeadlineSeconds of 1 s/, /spec\.templates\[name=main\]/],
  },
  {
    id: 'W11',
    title: 'a parallelism of the workflow that holds a step',
    objects: [twoAtOnce({ parallelism: 1 })],
    of: 'Workflow/x',
    code: 'WorkflowParallelismReached',
    contains: [/Steps wait: parallelism 1 of the workflow, 1 pod runs/],
    mend: ({ patch }) => patch('Workflow/x', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W11',
    title: 'a parallelism of a template that holds a step',
    objects: [twoAtOnce({}, { parallelism: 1 })],
    of: 'Workflow/x',
    code: 'WorkflowParallelismReached',
    contains: [/Steps wait: parallelism 1 of template both, 1 pod runs/],
    mend: ({ patch }) => patch('Workflow/x', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W11',
    title: 'a namespace in which no other workflow may run',
    objects: [{ ...workflow({ templates: [asleep] }), metadata: { name: 'first' } }, workflow({ templates: [asleep] })],
    limit: { 'workflows.argoproj.io/parallelism-limit': '1' },
    of: 'Workflow/x',
    code: 'WorkflowPostponed',
    contains: [/has not begun: 1 run in namespace [\w-]+, whose limit is 1/],
    mend: ({ patch }) => patch('Workflow/first', { spec: { shutdown: 'Terminate' } }),
  },
  {
    id: 'W1',
    title: 'a pod that somebody deletes',
    objects: [workflow({ templates: [asleep] })],
    of: 'Workflow/x',
    act: async ({ client, namespace }) => {
      const { items } = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace });
      for (const { metadata } of items)
        await client.delete(
          { apiVersion: 'v1', kind: 'Pod', namespace, name: metadata.name ?? '' },
          { gracePeriodSeconds: 0 },
        );
    },
    code: 'WorkflowPodLost',
    contains: [/went before its result was seen: pod deleted/, /retryPolicy: OnError/],
  },
  {
    id: 'W2',
    title: 'a store that refuses what a step made',
    objects: [workflow({ templates: [asleep] })],
    of: 'Workflow/x',
    // what the pod of a step says when its executor cannot store: the pods here run nothing that could
    act: ({ client, namespace }) =>
      endPods(client, namespace, 'failed to save outputs: shop/out.tgz: Access Denied (403)'),
    code: 'WorkflowArtifactFailed',
    contains: [
      /ended, and what it made could not be stored: .*shop\/out\.tgz.*403/,
      /Correct the location or the Secret/,
    ],
    excludes: [/WorkflowStepFailed/],
  },
  {
    id: 'W8',
    title: 'a scheduled time at which the run before has not ended',
    objects: [
      {
        kind: 'CronWorkflow',
        metadata: { name: 'x' },
        spec: {
          schedules: ['@every 2s'],
          concurrencyPolicy: 'Forbid',
          workflowSpec: { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] },
        },
      },
    ],
    of: 'CronWorkflow/x',
    contains: [/Skipped/, /was skipped: concurrencyPolicy is Forbid, and x-\d+ has not ended/, /--from cronwf\/x/],
    mend: ({ patch }) => patch('CronWorkflow/x', { spec: { concurrencyPolicy: 'Allow' } }),
  },
  {
    id: 'W8',
    title: 'a schedule that is suspended',
    objects: [
      {
        kind: 'CronWorkflow',
        metadata: { name: 'x' },
        spec: { schedules: ['@every 2s'], suspend: true, workflowSpec: workflow({}).spec },
      },
    ],
    of: 'CronWorkflow/x',
    contains: [/Skipped/, /was skipped: spec\.suspend is true/],
    mend: ({ patch }) => patch('CronWorkflow/x', { spec: { suspend: false } }),
  },
  {
    id: 'CronInvalid',
    title: 'a time zone that there is not',
    objects: [
      {
        kind: 'CronWorkflow',
        metadata: { name: 'x' },
        spec: { schedules: ['* * * * *'], timezone: 'Mars/Base', workflowSpec: workflow({}).spec },
      },
    ],
    of: 'CronWorkflow/x',
    contains: [/SpecError/, /no time zone .*Mars\/Base/, /Europe\/Berlin/],
    mend: ({ patch }) => patch('CronWorkflow/x', { spec: { timezone: 'Europe/Berlin' } }),
  },
  {
    id: 'CronInvalid',
    title: 'a day that no month has',
    objects: [
      {
        kind: 'CronWorkflow',
        metadata: { name: 'x' },
        spec: { schedules: ['0 0 31 2 *'], workflowSpec: workflow({}).spec },
      },
    ],
    of: 'CronWorkflow/x',
    contains: [/SpecError/, /cron schedule 0 0 31 2 \* never comes/],
    mend: ({ patch }) => patch('CronWorkflow/x', { spec: { schedules: ['0 0 28 2 *'] } }),
  },
  {
    id: 'CronInvalid',
    title: 'a template of a schedule that is not there',
    objects: [
      {
        kind: 'CronWorkflow',
        metadata: { name: 'x' },
        spec: { schedules: ['* * * * *'], workflowSpec: { workflowTemplateRef: { name: 'gone' } } },
      },
    ],
    of: 'CronWorkflow/x',
    contains: [/SpecError/, /workflowtemplates\.argoproj\.io "gone" not found/, /create the WorkflowTemplate/],
    mend: ({ create }) => create({ ...workflow({}), kind: 'WorkflowTemplate', metadata: { name: 'gone' } }),
  },
];
