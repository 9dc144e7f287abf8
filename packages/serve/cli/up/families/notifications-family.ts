import { names } from '@tiphys/api';
import { commaList } from '@tiphys/applications';
import type { Runtime } from '@tiphys/controller';
import { DiagnosisError } from '@tiphys/diagnosis';
import { Informer, type KubeObject } from '@tiphys/kubernetes';
import { applicationNotifications, startNotifications } from '@tiphys/notifications';
import type { FamilyContext } from './families.ts';

/** Notifications of Applications, with the settings of Argo CD: argocd-cmd-params-cm and the environment of its process. */
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
  const runtime = await startNotifications({
    ...context,
    signal,
    objects: context.applications,
    ...(workers > 0 ? { workers } : {}),
    family: applicationNotifications({
      namespace,
      applicationNamespaces: () =>
        commaList(env.ARGOCD_APPLICATION_NAMESPACES || parameter('application.namespaces') || undefined),
      selfService:
        (env.ARGOCD_NOTIFICATION_CONTROLLER_SELF_SERVICE_NOTIFICATION_ENABLED ||
          parameter('notificationscontroller.selfservice.enabled')) === 'true',
      project: (name) => projects.get(namespace, name),
      questions: backend && (await import('@tiphys/server')).repositoryQuestions(backend),
    }),
  });
  return {
    async close() {
      await runtime.close();
      stop.abort(new Error('stopped'));
    },
  };
}
