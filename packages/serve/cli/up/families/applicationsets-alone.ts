import { startApplications } from '@tiphys/applications';
import { startApplicationSets } from '@tiphys/applicationsets';
import type { Runtime } from '@tiphys/controller';
import type { FamilyContext } from './families.ts';

/** ApplicationSets in a process of their own: Applications are followed there and not delivered. */
export async function startApplicationSetsAlone(context: FamilyContext): Promise<Runtime> {
  const { env, scratch } = context;
  const applications = await startApplications({
    client: context.client,
    namespace: context.namespace,
    git: context.git,
    clock: context.clock,
    signal: context.signal,
    onError: context.onError,
    delivers: false,
    applicationNamespaces:
      env.ARGOCD_APPLICATION_NAMESPACES || env.ARGOCD_APPLICATIONSET_CONTROLLER_NAMESPACES || undefined,
    gitModulesEnabled: env.ARGOCD_GIT_MODULES_ENABLED || undefined,
    trustFolders: { tls: env.ARGOCD_TLS_DATA_PATH || undefined, ssh: env.ARGOCD_SSH_DATA_PATH || undefined },
    cacheDir: scratch,
  });
  try {
    const sets = await startApplicationSets({ ...context, shared: applications.shared });
    return {
      close: async () => {
        await sets.close();
        await applications.close();
      },
    };
  } catch (error) {
    await applications.close();
    throw error;
  }
}
