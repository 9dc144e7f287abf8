import type { Runtime } from '@tiphys/controller';
import { rolloutNotifications } from '@tiphys/notifications';
import { startRolloutsFamily } from '@tiphys/rollouts';
import type { FamilyContext } from './families.ts';
import { startNotificationsBeside } from './notifications-beside.ts';
import { onSandbox } from './on-sandbox.ts';

/** Rollouts, and who is told of them: argo-rollouts-notification-configmap, on the sandbox also that of the Rollout's own namespace. */
export async function startRollouts(context: FamilyContext): Promise<Runtime> {
  const rollouts = await startRolloutsFamily(context);
  const selfService = context.sandbox || context.env.ARGO_ROLLOUTS_SELF_SERVICE_NOTIFICATIONS === 'true';
  const notifications = startNotificationsBeside({
    ...context,
    family: rolloutNotifications({ selfService }),
    ...(context.sandbox ? { route: onSandbox } : {}),
  });
  return {
    async close() {
      await notifications.close();
      await rollouts.close();
    },
  };
}
