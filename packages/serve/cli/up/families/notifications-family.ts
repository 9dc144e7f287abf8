import { names } from '@tiphys/api';
import { namespaceLists } from '@tiphys/applications';
import type { Runtime } from '@tiphys/controller';
import { DiagnosisError } from '@tiphys/diagnosis';
import { Informer, type KubeObject } from '@tiphys/kubernetes';
import { applicationNotifications, applicationSetNotifications, startNotifications } from '@tiphys/notifications';
import type { FamilyContext } from './families.ts';
import { startNotificationsBeside } from './notifications-beside.ts';

/** Notifications of Applications and ApplicationSets, with the settings of Argo CD: argocd-cmd-params-cm and the environment of its process. */
export async function startApplicationNotifications(context: FamilyContext): Promise<Runtime> {
  const { client, namespace, clock, env, backend } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const follow = (ref: { apiVersion: string; kind: string; namespace: string; name?: string }): Informer<KubeObject> =>
    new Informer<KubeObject>(client, {
      ref,
      clock,
      onError: (problem) => context.onError('notifications', new DiagnosisError(problem)),
    });
  const projects = follow({ apiVersion: names.apiVersion, kind: 'AppProject', namespace });
  const parameters = follow({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: names.configMaps.parameters });
  for (const informer of [projects, parameters]) informer.start(signal);
  await Promise.all([projects.synced, parameters.synced]);
  const parameter = (key: string): string =>
    ((parameters.get(namespace, names.configMaps.parameters)?.data ?? {}) as Record<string, string>)[key] ?? '';
  const workers = Number(
    env.ARGOCD_NOTIFICATION_CONTROLLER_PROCESSORS_COUNT || parameter('notificationscontroller.processors.count'),
  );
  const common = {
    namespace,
    selfService:
      (env.ARGOCD_NOTIFICATION_CONTROLLER_SELF_SERVICE_NOTIFICATION_ENABLED ||
        parameter('notificationscontroller.selfservice.enabled')) === 'true',
    project: (name: string) => projects.get(namespace, name),
  };
  const options = { ...context, signal, ...(workers > 0 ? { workers } : {}) };
  const [listed, listedOfSets] = [namespaceLists(), namespaceLists()];
  const applicationNamespaces = () =>
    listed(env.ARGOCD_APPLICATION_NAMESPACES || parameter('application.namespaces') || undefined);
  const sets = startNotificationsBeside({
    ...options,
    family: applicationSetNotifications({
      ...common,
      applicationSetNamespaces: () => {
        const own = listedOfSets(
          env.ARGOCD_APPLICATIONSET_CONTROLLER_NAMESPACES ||
            parameter('applicationsetcontroller.namespaces') ||
            undefined,
        );
        return own.length > 0 ? own : applicationNamespaces();
      },
    }),
  });
  const runtime = await startNotifications({
    ...options,
    objects: context.applications,
    family: applicationNotifications({
      ...common,
      applicationNamespaces,
      questions: backend && (await import('@tiphys/server')).repositoryQuestions(backend),
    }),
  });
  return {
    async close() {
      await sets.close();
      await runtime.close();
      stop.abort(new Error('stopped'));
    },
  };
}
