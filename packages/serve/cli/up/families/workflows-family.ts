import { workflowNames } from '@tiphys/api';
import type { ObjectView, Runtime } from '@tiphys/controller';
import { type Client, isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { executorProgram, startLocalStore } from '@tiphys/workflow-executor';
import { startWorkflowsFamily, toldWorkflow, type WorkflowsFamilyOptions } from '@tiphys/workflows';
import { version } from '../../terminal/version.ts';
import { archiveFile, artifactsFolder, type FamilyContext } from './families.ts';
import { somebodyToTell } from './notifications-needed.ts';
import { onSandbox } from './on-sandbox.ts';

/** Starts the controllers of workflows with Tiphys' own executor: its image, or this machine's Node where the sandbox runs processes. */
export async function startWorkflows(context: FamilyContext): Promise<Runtime> {
  const folder = artifactsFolder(context);
  if (!folder) return await start(context);
  await allowReports(context.client);
  const store = await startLocalStore(folder);
  const runtime = await start(context, {
    artifactRepository: store.repository,
    localExecutor: [process.execPath, executorProgram],
  });
  return {
    async close() {
      await runtime.close();
      await store.close();
    },
  };
}

async function start(
  context: FamilyContext,
  local: Pick<WorkflowsFamilyOptions, 'artifactRepository' | 'localExecutor'> = {},
): Promise<Runtime> {
  let notifications: Runtime | undefined;
  const workflows = await startWorkflowsFamily({
    ...context,
    ...local,
    archiveFile: archiveFile(context),
    executorImage: `tiphys/tiphys:${version}`,
    version,
    onStarted: (followed) => {
      notifications = startWorkflowNotifications(context, followed as ObjectView<KubeObject>);
    },
  });
  return {
    async close() {
      await notifications?.close();
      await workflows.close();
    },
  };
}

/** Who is told of workflows: argo-workflows-notification-configmap, on the sandbox also that of the workflow's own namespace. */
function startWorkflowNotifications(context: FamilyContext, workflows: ObjectView<KubeObject>): Runtime {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const started = tellOfWorkflows({ ...context, signal }, workflows).catch((error: unknown) => {
    if (!signal.aborted) context.onError('notifications of workflows', error);
    return undefined;
  });
  return {
    async close() {
      stop.abort(new Error('stopped'));
      await (await started)?.close();
    },
  };
}

/** Workflows are followed a second time for it, whole as they are, and its code is loaded: only once there is anybody to tell. */
async function tellOfWorkflows(context: FamilyContext, workflows: ObjectView<KubeObject>): Promise<Runtime> {
  const { env, sandbox } = context;
  const selfService = sandbox || env.TIPHYS_WORKFLOWS_SELF_SERVICE_NOTIFICATIONS === 'true';
  await somebodyToTell({
    ...context,
    selfService,
    configMapName: workflowNames.notificationConfigMap,
    objects: workflows,
  });
  const [{ workflowNotifications }, { startNotificationsBeside }] = await Promise.all([
    import('@tiphys/notifications'),
    import('./notifications-beside.ts'),
  ]);
  return startNotificationsBeside({
    ...context,
    family: workflowNotifications({ selfService }),
    watched: env.ARGO_MANAGED_NAMESPACE || undefined,
    kept: (workflow) => toldWorkflow(workflow as never) as unknown as KubeObject,
    ...(sandbox ? { route: onSandbox } : {}),
  });
}

const name = 'tiphys-workflow-executor';
const group = 'rbac.authorization.k8s.io';
const rule = (verbs: string[], resources: string[]) => ({ apiGroups: ['argoproj.io'], resources, verbs });

/** On a laptop the executor may report for every ServiceAccount; in clusters administrators say for which. */
async function allowReports(client: Client): Promise<void> {
  const role = {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules: [
      rule(['create', 'patch'], ['workflowtaskresults']),
      rule(['list', 'watch'], ['workflowtasksets', 'workflowartifactgctasks']),
      rule(['patch'], ['workflowtasksets/status', 'workflowartifactgctasks/status']),
    ],
  };
  const binding = {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: group, kind: 'Group', name: 'system:serviceaccounts' }],
  };
  for (const object of [role, binding] as KubeObject[]) {
    try {
      await client.create(object);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}
